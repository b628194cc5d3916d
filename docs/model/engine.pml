/* Package internal/engine: waking, resting and waiting. */

/* Engine.mode. */
#define INHOST 0
#define INOS   1
#define INGO   2

/* park.Sleeper.word. */
#define AWAKE  0
#define ASLEEP 1

byte mode[QUEUES] = INGO; /* Engine.Start */
bit word[QUEUES];
bit inBed[QUEUES];        /* the kernel has put the thread to sleep on word */
bit bell[QUEUES];         /* a channel with room for one */
bit atBell[QUEUES];       /* history: the thread has looked at head and now receives from bell */

#ifdef HOST
bit hook, rung;
bit event;   /* posted to the host's loop by the hook, and not yet taken */
bit waiting; /* history: the host waits for an event */
#define LOST(e) (owed[e] == 0 && (ISCALL(head[e]) && waiting && !event || head[e] != RESTING && (inBed[e] || atBell[e] && !bell[e])))
#else
#define LOST(e) (owed[e] == 0 && head[e] != RESTING && (inBed[e] || atBell[e] && !bell[e]))
#endif

/* The wake-up that is owed is a token in one of the beds. If it is in none and the thread sleeps, it is lost. */
active proctype Monitor() {
#if QUEUES == 1
end:	atomic { LOST(0) -> assert(lost_wakeup) }
#elif QUEUES == 2
end:	atomic { LOST(0) || LOST(1) -> assert(lost_wakeup) }
#else
end:	atomic { LOST(0) || LOST(1) || LOST(2) -> assert(lost_wakeup) }
#endif
} /* never in queue/Monitor, cycle/Monitor, host/Monitor: that is the property */

/* Engine.wake */
inline Wake(e) {
	if
	:: mode[e] == INOS ->
		word[e] = AWAKE; /* park.Sleeper.Wake; never in host/Host, host/Terminator: it is on the thread; without naps */
		d_step { inBed[e] = 0; owed[e]-- } /* never in host/Host, host/Terminator: as above */
	:: mode[e] == INGO ->
#ifdef FAULT_BELL_BLOCKS /* Engine.wake: the send without a default */
		d_step { !bell[e] -> bell[e] = 1; owed[e]-- }
#else
#ifdef FAULT_BELL_UNBUFFERED /* New: the bell is a channel without a place */
		d_step { bell[e] = atBell[e]; owed[e]-- }
#else
		d_step { bell[e] = 1; owed[e]-- } /* never in host/Host: it is on the thread */
#endif
#endif
#ifdef HOST
	:: mode[e] == INHOST ->
		if
		:: !hook -> owed[e]--
		:: hook ->
			if
			:: d_step { !rung -> rung = 1 };
				d_step { event = 1; owed[e]-- } /* the hook posts an empty event */
			:: rung -> owed[e]--
			fi
		fi
#else
	:: mode[e] == INHOST -> d_step { owed[e]-- } /* there is no hook */
#endif
	fi
}

/* Engine.idle. Looking at the queue again and again is looking once: a look that finds nothing changes nothing, and
 * any number of looks may be left out. */
inline Idle(e) {
	Rise(e);
	if /* hot polls, Engine.spin, Engine.letCallerGo: Queue.Pending and Queue.Closed */
	:: ISCALL(ready[e]) -> yes = 1 /* never in queue/Thread, cycle/Thread, host/Host: Take has found it empty */
	:: ready[e] == NIL ->
		if
		:: ISCALL(head[e]) -> yes = 1
		:: head[e] == CLOSED -> yes = 1
		:: !ISCALL(head[e]) && head[e] != CLOSED -> yes = 0
		fi
	:: ready[e] == CLOSED -> yes = (head[e] == CLOSED)
	fi;
	if
	:: yes
	:: else ->
		if
#ifdef NAPS
		:: Nap(e)
#endif
		:: skip /* no P to spare, or no futex */
		fi;
		if
		:: yes -> yes = 0
		:: else -> Sleep(e)
		fi
	fi
}

/* Engine.nap: yes if the thread was woken. A sleep may end at any time, because time is up or for no reason. */
inline Nap(e) {
	mode[e] = INOS;
	Rest(e);
	if
	:: !ok -> mode[e] = INHOST; yes = 1
	:: else ->
		do
#ifdef FAULT_ARM_LATE /* Engine.nap: looks whether the queue is resting, then arms */
		:: head[e] == RESTING ->
			word[e] = ASLEEP;
#else
		:: word[e] = ASLEEP; /* park.Sleeper.Arm */
			if
			:: head[e] != RESTING -> mode[e] = INHOST; yes = 1; break
			:: head[e] == RESTING
			fi;
#endif
			if /* park.Sleeper.Sleep */
			:: d_step { word[e] == ASLEEP -> inBed[e] = 1 };
				if
				:: !inBed[e]
				:: d_step { inBed[e] -> inBed[e] = 0 }
				fi
			:: word[e] != ASLEEP
			fi;
			if
			:: head[e] != RESTING -> mode[e] = INHOST; yes = 1; break
			:: head[e] == RESTING ->
				if
				:: skip
				:: Rise(e); break
				fi
			fi
#ifdef FAULT_ARM_LATE
		:: head[e] != RESTING -> mode[e] = INHOST; yes = 1; break
#endif
		od
	fi;
	ok = 0
}

/* Engine.sleep */
inline Sleep(e) {
#ifndef FAULT_MODE_LATE
	mode[e] = INGO;
#endif
	Rest(e);
	if
	:: ok ->
		do
		:: head[e] != RESTING -> break
#ifdef FAULT_MODE_LATE /* Engine.sleep: the mode is stored when the thread is about to receive */
		:: head[e] == RESTING ->
			atomic { mode[e] = INGO; atBell[e] = 1 };
#else
#ifdef FAULT_BELL_UNBUFFERED
		:: head[e] == RESTING ->
			atBell[e] = 1;
#else
		:: atomic { head[e] == RESTING -> atBell[e] = 1 };
#endif
#endif
end_bell:		atomic { bell[e] -> bell[e] = 0; atBell[e] = 0 } /* <-bell */
		od
	:: else
	fi;
	atomic { mode[e] = INHOST; ok = 0 }
}

/* line.spin, doze and sleepOn, and so Engine.await, of a goroutine that is not on a thread of an engine: o is the
 * outcome of c, WITHDRAWN if c was withdrawn. limited: the caller has a context. */
inline Await(limited) {
	if
	:: d_step { BARE(state[c]) >= RAN -> o = BARE(state[c]) } /* it has spun, and not in vain */
	:: skip ->
		do
		:: Doze(c);
			if
			:: !yes -> Outcome(c); break
			:: else -> yes = 0
			fi;
			if
			:: d_step { token[c] -> token[c] = 0 }
#ifdef DEADLINES
			:: limited && mayExpire[j] ->
				expired[j] = 1;
				Withdraw(c);
				if
				:: yes -> d_step { yes = 0; o = WITHDRAWN }; break
				:: else -> limited = 0 /* done = nil */
				fi
#endif
			fi
		od
	fi
}

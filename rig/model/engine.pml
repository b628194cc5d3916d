/* Package internal/engine: waking, resting, waiting, and pools. */

/* Engine.mode. */
#define UP   0
#define INGO 1 /* inScheduler */

bit mode[QUEUES];   /* only the thread changes it */
bit wakeup[QUEUES];   /* a channel with room for one */
bit atWakeup[QUEUES]; /* history: the thread has looked at head and now receives from wakeup */

bit onWake;           /* a host has called OnWake */
bit event;            /* posted to the host's loop by the callback, and not yet taken */
bit waiting;          /* history: the host waits for an event */
#define LOST(e) (owed[e] == 0 && \
	((ISCALL(head[e]) || ISCALL(ready[e])) && waiting && !event && onWake && head[e] != CLOSED || \
	head[e] != RESTING && atWakeup[e] && !wakeup[e]))
#ifndef THREADS
#define THREADS QUEUES
#endif

/* The wake-up that is owed becomes a token in wakeup. If it is not there and the thread waits, it
 * is lost. */
active proctype Monitor() {
end:	atomic { LOST(0) || LOST(THREADS - 1) -> assert(lost_wakeup) } /* there are two at most */
}

#ifdef COARSE
/* Engine.wake, idle. How a thread rests and is woken is searched in the other configurations. */
inline Wake(e) { owed[e]-- }
inline Idle(e) {
	Rest(e);
	When(ok, end_rest: d_step { head[e] != RESTING && owed[e] == 0 -> ok = 0 })
}
#else
/* Engine.wake */
inline Wake(e) {
	if
	:: mode[e] == INGO -> d_step { wakeup[e] = 1; owed[e]-- }
	:: mode[e] == UP ->
		if
		:: !onWake -> owed[e]--
		:: onWake -> d_step { event = 1; owed[e]-- } /* the callback posts an empty event */
		fi
	fi
}

/* Engine.idle, with spin. A look that finds nothing changes nothing. So a thread that looks again
 * and again is one that stays before the first if, and leaves it by one of the looks, or in vain.
 */
inline Idle(e) {
	Awake(e);
	if
	:: ISCALL(ready[e]) -> yes = 1 /* Queue.Pending */
	:: ready[e] == NIL -> When(ISCALL(head[e]), yes = 1)
	:: head[e] == CLOSED -> yes = 1 /* Queue.Closed */
	:: skip /* it does not spin, or does not any more */
	fi;
	Either(yes, yes = 0, Sleep(e))
}

/* Engine.sleep */
inline Sleep(e) {
	mode[e] = INGO;
	Rest(e);
	When(ok,
		do
		:: head[e] != RESTING -> break
		:: atomic { head[e] == RESTING -> atWakeup[e] = 1 };
#ifdef CONTEXT
			if
			:: expiry -> atWakeup[e] = 0; break
			:: !expiry
			fi;
#endif
			end_wakeup: atomic { wakeup[e] -> wakeup[e] = 0; atWakeup[e] = 0 } /* <-wakeup */
		od);
	When(onWake, mode[e] = UP);
	ok = 0
}

#endif

inline WakeIfOwed(e) {
	When(wake, wake = 0; Wake(e))
}

inline PushAndWake(e) { Push(e); WakeIfOwed(e) }

/* Engine.Terminate */
inline Terminate(e) { Close(e); WakeIfOwed(e) }

/* spin.State.Wait (with meet and takeTurns) and block, and so Engine.await, of a goroutine that is not
 * on a thread of an engine: o is the outcome of c, WITHDRAWN if c was withdrawn. ctx: the caller
 * has a context. For how long the caller looks before it parks is left open, as in Idle. */
inline Await() {
	if
	:: d_step { SETTLED(state[c]) -> o = BARE(state[c]) }
	:: skip ->
		do
		:: Park(c);
			Either(!yes, Outcome(c); break, yes = 0);
			if /* waitToken */
			:: d_step { token[c] -> token[c] = 0 }
			:: ctx && mayExpire[j] ->
				expired[j] = 1;
				Withdraw(c);
				Either(yes,
					d_step { yes = 0; o = WITHDRAWN }; break,
					ctx = 0) /* ctx = never */
			fi
		od
	fi
}

/* Engine.Call, when c has been pushed or refused: posts if nothing waits for it. */
inline EndCall() {
	if
	:: atomic { !ok -> Decide(j, NOT_RUN); o = REFUSED; fn[c] = 0; posts = 0 }; Put(c)
	:: ok && posts
	:: ok && !posts ->
		Await();
		if
		:: o == WITHDRAWN
		:: atomic { o != WITHDRAWN ->
				assert(o != RAN && o != EXITED || result[c] == j || true_report) };
			Put(c)
		fi;
		assert((o == RAN || o == EXITED) == (fate[j] == HAS_RUN) && fate[j] != UNDECIDED ||
			true_report)
	fi
}

/* Engine.Go, when c has been pushed or refused: ok is 0 after it. */
inline EndPost() {
	Either(ok, ok = 0, d_step { Decide(j, NOT_RUN); fn[c] = 0 }; PutRecord(c))
}

#ifdef POOL
/* ---- pool.go: threads 0 to WORKERS - 1; records come from the queue POOL, which no thread serves ---- */

/* Pool.backlog, with its mutex Pool.mu: what is done under it is one step */
chan backlog = [BACKLOG] of { byte };
byte idle[WORKERS], idlers;           /* Pool.idle */
bit listed[WORKERS];                  /* Engine.listed */
bit comes[WORKERS], coming;           /* Engine.coming, Pool.coming */
bit closed, retired;
byte looks;                           /* Pool.looks: the call in the backlog whose caller looks */
/* property: if there is a backlog, but for that call, a thread is coming or none is idle; one is told
 * at a time, and only a thread that is idle; a thread that looks at the backlog is not among the idle
 * ones */
bit shared_out;

#define QUEUED (len(backlog) - (looks != NIL))
#define Shared() assert(QUEUED == 0 || coming || idlers == 0 || shared_out)

/* Pool.choose: o, POOL if no thread is idle. */
inline Choose() {
	Either(idlers > 0,
		assert(!coming || shared_out);
		o = idle[idlers - 1];
		idlers--; idle[idlers] = 0; listed[o] = 0;
		comes[o] = 1; coming = 1,
		o = POOL)
}

#ifdef COARSE
#define ONESTEP atomic
#else
#define ONESTEP
#endif

/* Engine.come; c is kept. The first record is always there, so that none is made. */
inline Come(e) {
	ONESTEP {
	atomic {
		x = c; assert(!firstTaken[e] || one_owner);
		firstTaken[e] = 1; Claim(FIRST(e), CONTROL, 0, 0)
	};
	Push(e);
	if
	:: !ok -> Put(c)
	:: ok && wake -> wake = 0; Wake(e)
	:: ok && !wake
	fi;
	d_step { c = x; x = 0; ok = 0 }
	}
}

/* Pool.submit: ok unless the pool is closed. A caller may look for the outcome for any time; to call
 * seek when it has found it changes nothing. */
inline Submit() {
	if
	:: d_step { closed -> ok = 0 }
	:: d_step { !closed && looks == NIL && kind[c] == AWAITED -> backlog!c; looks = c; Shared() };
		/* Pool.seek */
		d_step { o = POOL;
			When(looks == c, looks = NIL; When(!coming, Choose()));
			Shared() };
		When(o != POOL, Come(o));
		d_step { ok = 1; o = 0 }
	:: d_step { !closed -> backlog!c; o = POOL;
			When(!coming, Choose());
			Shared() };
		When(o != POOL, Come(o));
		d_step { ok = 1; o = 0 }
	fi
}

/* Pool.next, at first: yes if e was notified. */
inline Came(e) {
	Only(e);
	assert(!listed[e] || closed || retired || shared_out);
	yes = comes[e];
	When(yes, comes[e] = 0; coming = 0)
}

/* Pool.next: c, and o is the thread to tell. */
inline Next(e) {
	if
	:: d_step { nempty(backlog) ->
			Came(e); backlog?c; o = POOL;
			When(looks == c, looks = NIL);
			Either(yes && QUEUED > 0, Choose(), skip);
			yes = 0;
			Shared() };
		When(o != POOL, Come(o));
		o = 0
	:: d_step { empty(backlog) && !closed && retired -> Came(e); yes = 0 }; Close(e)
	:: d_step { empty(backlog) && (closed || !retired) && listed[e] -> Came(e); yes = 0 }
	:: d_step { empty(backlog) && (closed || !retired) && !listed[e] ->
			assert(idlers < WORKERS || shared_out);
			Came(e); yes = 0; idle[idlers] = e; idlers++; listed[e] = 1 }
	fi
}

/* Pool.Terminate */
inline TerminatePool() {
	d_step { closed = 1; looks = NIL; MoveBacklog() };
	Refuse();
	i = 0;
	While(i < WORKERS,
		Terminate(i);
		i++)
}

/* List.Empty: l */
inline MoveBacklog() {
	do
	:: nempty(backlog) -> backlog?x;
		Either(l == NIL, l = x, next[n] = x);
		n = x
	:: empty(backlog) -> break
	od;
	n = 0; x = 0
}
#endif

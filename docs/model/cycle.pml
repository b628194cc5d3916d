/* Threads whose functions call each other, in a circle, nested, and after a Go.
 *
 * Each job is one function, as a process: it runs on the thread that has set its control to BEGUN, which waits until
 * it is ENDED, or EXITED by Goexit. So what a function does on its thread, be it in place of that thread's waiting,
 * needs no stack but that of the processes that wait for each other.
 *
 * CIRCLE says which jobs there are. Tables give for each job, from 1, the thread that it runs on, the job that its
 * function queues by Go first, and the job that it calls then. Callers are goroutines outside; caller i makes the job
 * CALLED(i). PREPARED: instead of callers there is one such job in each queue, posted before the model begins.
 */
#define INNER   1 /* a function on A calls B, whose function calls A */
#define CROSSED 2 /* a function on A calls B, another on B calls A */
#define ROUND   3 /* the same with three threads, A to B to C to A */
#define NESTED  4 /* a function on A queues one there by Go, and then calls one there; somebody else calls A too */
#define TRAIL   5 /* as CROSSED, but the function on A queues one on B by Go before it calls B */

#if CIRCLE == INNER
#define QUEUES 2
#define JOBS 3
#define CALLERS 1
#define CALLED(i) 1
#define ON(j)   ((j) == 2)
#define GOES(j) 0
#define SUB(j)  ((j) < 3 -> (j) + 1 : 0)
#elif CIRCLE == CROSSED
#define PREPARED
#define QUEUES 2
#define JOBS 4
#define CALLERS 2
#define CALLED(i) ((i) == 0 -> 1 : 3)
#define ON(j)   ((j) == 2 || (j) == 3)
#define GOES(j) 0
#define SUB(j)  ((j)%2 == 1 -> (j) + 1 : 0)
#elif CIRCLE == ROUND
#define PREPARED
#define QUEUES 3
#define JOBS 6
#define CALLERS 3
#define CALLED(i) (2*(i) + 1)
#define ON(j)   (((j)/2)%3)
#define GOES(j) 0
#define SUB(j)  ((j)%2 == 1 -> (j) + 1 : 0)
#elif CIRCLE == NESTED
#define QUEUES 1
#define JOBS 4
#define CALLERS 2
#define CALLED(i) ((i) == 0 -> 1 : 4)
#define ON(j)   0
#define GOES(j) ((j) == 1 -> 2 : 0)
#define SUB(j)  ((j) == 1 -> 3 : 0)
#elif CIRCLE == TRAIL
#define PREPARED
#define QUEUES 2
#define JOBS 5
#define CALLERS 2
#define CALLED(i) ((i) == 0 -> 1 : 3)
#define ON(j)   ((j) == 2 || (j) == 3 || (j) == 5)
#define GOES(j) ((j) == 1 -> 5 : 0)
#define SUB(j)  ((j)%2 == 1 && (j) < 5 -> (j) + 1 : 0)
#endif

#define CYCLES
#define ORPHANS
#include "callq.pml"
#include "engine.pml"

#define THREAD(e) (8 + (e)) /* the goroutine that serves it, as poster */

#define BEGUN  1
#define ENDED  2
#define LEFT   3
byte control[JOBS + 1];

byte wait[QUEUES];           /* Engine.wait: the record; what is known of it does not change */
byte posted[QUEUES];         /* Engine.posted */
#define DEPTH 3
byte stack[QUEUES*DEPTH];    /* Engine.stack */
byte depth[QUEUES];
byte finished;

#define Begin(job) Decide(job, HAS_RUN); control[job] = BEGUN; \
	assert(!(GOES(CALLER(job))) || fate[GOES(CALLER(job))] != UNDECIDED || in_order)
#define CALLER(job) ((job) > 1 && SUB((job) - 1) == (job) -> (job) - 1 : ((CIRCLE == NESTED && (job) == 3) -> 1 : 0))

#ifdef TERMINATE
#define NOBODY_MADE(i) (fate[((i) == 5 -> 1 : (i) - 1 + (i)%2)] == NOT_RUN) /* in TRAIL: its caller has not run */
#else
#define NOBODY_MADE(i) 0
#endif

#define MORE byte p, q, w, y1, y2, i, self; bit entered, exits

/* Engine.run and invoke, for a call q on thread e; exits if the function has called Goexit. */
inline Exec(e) {
	if
	:: kind[q] == POSTED ->
		d_step {
			i = fn[q]; fn[q] = 0;
			posted[e] = posted[e] - (posted[e] > 0 && poster[q] == THREAD(e))
		};
		PutRecord(q);
		d_step { Begin(i); q = 0 };
		atomic { control[i] >= ENDED -> exits = (control[i] == LEFT); i = 0 }
	:: d_step { kind[q] == AWAITED -> Begin(fn[q]); stack[(e)*DEPTH + depth[e]] = q; depth[e]++ };
		if
		:: d_step { control[fn[q]] == ENDED -> depth[e]--; stack[(e)*DEPTH + depth[e]] = 0; result[q] = fn[q] };
			Settle(q, RAN)
		:: control[fn[q]] == LEFT -> exits = 1
		fi
	fi;
	q = 0
}

/* Engine.Start: serveAll, loop and step */
proctype Thread(byte e) {
	LOCALS; MORE;
	do
	:: head[e] == CLOSED -> break
	:: head[e] != CLOSED ->
		Take(e);
		if
		:: c != NIL ->
			atomic { q = c; c = 0 };
			Exec(e);
			if
			:: exits -> /* settleExited */
				exits = 0;
				do
				:: d_step { depth[e] > 0 ->
					depth[e]--; q = stack[(e)*DEPTH + depth[e]]; stack[(e)*DEPTH + depth[e]] = 0;
					result[q] = fn[q] };
					Settle(q, EXITED)
				:: depth[e] == 0 -> break
				od;
				q = 0
			:: else
			fi
		:: else -> Idle(e)
		fi
	od
}

/* Engine.runList(p); exits as in Exec. */
inline RunList(e) {
	do
	:: p != NIL ->
		d_step { q = p; p = next[q]; next[q] = NIL }; /* Pop */
		Exec(e);
		if
		:: exits -> Return(e); break
		:: else
		fi
	:: else -> break
	od
}

/* Engine.waitFor, on thread e, for c in the queue of another one. It is the outcome o, or exits. */
inline WaitFor(e) {
	w = wait[e]; /* outer; only the thread writes it */
	do
	:: Doze(c);
		if
		:: !yes -> Outcome(c); break
		:: else -> yes = 0
		fi;
#ifndef FAULT_PUBLISHED_LATE /* Engine.waitFor: wait.Store only when it is about to sleep */
		wait[e] = c;
#endif
		Reach(e);
		Rescue(e);
		if
		:: exits -> break
		:: !exits && ok -> /* rescued */
			ok = 0;
#ifndef FAULT_ENTERED_ONCE /* Engine.waitFor: entered is not cleared after a rescue */
			entered = 0
#endif
		:: !exits && !ok ->
			if
			:: !entered ->
				entered = 1;
#ifndef FAULT_NO_POKE /* Engine.waitFor: does not poke the others */
				Reach(e);
				PokeWaiting(y1);
				if
				:: y2 < QUEUES -> PokeWaiting(y2)
				:: else
				fi;
				if
				:: yes -> yes = 0; Poke(c) /* e was in reach as well */
				:: else
				fi
#endif
			:: else
			fi;
			y1 = 0; y2 = 0; yes = 0;
#ifdef FAULT_PUBLISHED_LATE
			wait[e] = c;
#endif
			atomic { token[c] -> token[c] = 0 } /* sleepOn */
		fi
	od;
	entered = 0; y1 = 0; y2 = 0; yes = 0;
#ifdef FAULT_WAIT_LEFT /* Engine.waitFor: wait is not set back */
	w = 0;
#else
	atomic { wait[e] = w; w = 0 };
#endif
	if
	:: exits ->
#ifdef FAULT_NOT_ORPHANED /* Engine.waitFor: the record is freed instead of orphaned */
		Put(c)
#else
		Orphan(c)
#endif
	:: else
	fi
}

/* wait.reach, from the wait of e for c: y1 and y2 are the other threads, in its order, yes if it comes back to e.
 * Absent is QUEUES. */
inline Reach(e) {
	d_step { y1 = OWNER(c); y2 = QUEUES; i = wait[y1]; yes = 0 };
	if
	:: i == NIL
	:: i != NIL && OWNER(i) == e -> yes = 1
	:: i != NIL && OWNER(i) != e ->
#if QUEUES > 2
		d_step { y2 = OWNER(i); i = wait[y2]; yes = (i != NIL && OWNER(i) == e) }
#else
		assert(false)
#endif
	fi;
	i = 0
}

/* Engine.rescue, after Reach: ok if it has run something. */
inline Rescue(e) {
	yes = 0;
	ok = 0;
	i = wait[y1];
	if
	:: i != NIL && OWNER(i) == e -> self = THREAD(y1); TakeFrom(e, self, i)
	:: else
	fi;
	i = 0;
#if QUEUES > 2
	if
	:: p == NIL && y2 < QUEUES ->
		i = wait[y2];
		if
		:: i != NIL && OWNER(i) == e -> self = THREAD(y2); TakeFrom(e, self, i)
		:: else
		fi;
		i = 0
	:: else
	fi;
#endif
	self = THREAD(e);
	if
	:: p != NIL ->
#ifdef FAULT_NOT_RETURNED /* Engine.rescue: runs the first call only, and forgets the rest of the list */
		d_step { q = p; p = 0 };
		wait[e] = NIL;
		Exec(e);
#else
		wait[e] = NIL;
		RunList(e);
#endif
		ok = 1
	:: else
	fi
}

inline PokeWaiting(y) {
	i = wait[y];
	if
	:: i != NIL -> Poke(i)
	:: else
	fi;
	i = 0
}

/* A function. */
proctype Function(byte j0) {
	LOCALS; MORE; byte e, sub, there;
end:	control[j0] == BEGUN;
	atomic { e = ON(j0); self = THREAD(e) };
	atomic { sub = GOES(j0); there = ON(sub) };
	if
	:: sub != 0 -> /* Engine.Go */
		Record(there, POSTED, sub, self);
		Push(there);
		if
		:: ok ->
			ok = 0;
			if
			:: there == e -> posted[e]++
			:: else
			fi
		:: else -> d_step { Decide(sub, NOT_RUN); fn[c] = 0 }; PutRecord(c)
		fi;
		if
		:: wake -> wake = 0; Wake(there)
		:: else
		fi;
		c = 0
	:: else
	fi;
	atomic { sub = SUB(j0); there = ON(sub) };
	if
	:: sub != 0 && there == e -> /* Engine.nested */
		if
		:: head[e] == CLOSED -> Decide(sub, NOT_RUN)
		:: head[e] != CLOSED ->
#ifndef FAULT_POSTED_LATE /* Engine.nested: does not run first what the same goroutine has queued */
			if
			:: posted[e] > 0 -> TakeFrom(e, self, NIL); RunList(e)
			:: else
			fi;
#endif
			if
			:: exits
			:: else ->
				d_step { Begin(sub) };
				atomic { control[sub] >= ENDED -> exits = (control[sub] == LEFT) }
			fi
		fi
	:: sub != 0 && there != e -> /* Engine.Call */
		Get(there, AWAITED, sub, self);
		Push(there);
		if
		:: wake -> wake = 0; Wake(there)
		:: else
		fi;
		if
		:: !ok -> d_step { Decide(sub, NOT_RUN); fn[c] = 0 }; Put(c)
		:: else ->
			ok = 0;
			if
			:: d_step { BARE(state[c]) >= RAN -> o = BARE(state[c]) }
			:: WaitFor(e)
			fi;
			if
			:: exits
			:: else ->
				d_step {
					assert(o == REFUSED || result[c] == sub || true_report);
					assert((o == REFUSED) == (fate[sub] == NOT_RUN) && fate[sub] != UNDECIDED || true_report);
					exits = (o == EXITED)
				};
				Put(c)
			fi
		fi
	:: sub == 0
	fi;
#ifdef GOEXIT
	if
	:: j0 == GOEXIT -> exits = 1
	:: skip
	fi;
#endif
	control[j0] = (exits -> LEFT : ENDED)
}

#ifndef PREPARED
/* Engine.Call by a goroutine that is on no thread. */
proctype Caller(byte id) {
	LOCALS;
	byte there;
	atomic { j = CALLED(id); there = ON(j) };
	Get(there, AWAITED, j, id);
	Push(there);
	if
	:: wake -> wake = 0; Wake(there)
	:: else
	fi;
	if
	:: !ok -> d_step { Decide(j, NOT_RUN); o = REFUSED; fn[c] = 0 }
	:: else -> Await(0)
	fi;
	atomic {
		assert(o == REFUSED || result[c] == j || true_report);
		assert((o == REFUSED) == (fate[j] == NOT_RUN) && fate[j] != UNDECIDED || true_report)
	};
	Put(c);
	finished++
}
#endif

#ifdef TERMINATE
/* Engine.Terminate */
proctype Terminator() {
	LOCALS;
	Close(TERMINATE); /* the number of a queue */
	if
	:: wake -> wake = 0; Wake(TERMINATE)
	:: else
	fi
}
#endif

init {
	byte i;
	atomic {
		for (i : 1 .. QUEUES*RECORDS) { unused[i] = ((i - 1)%RECORDS != 0) };
		for (i : 0 .. QUEUES - 1) { run Thread(i) };
		for (i : 1 .. JOBS) { run Function(i) };
#ifdef PREPARED
		for (i : 0 .. CALLERS - 1) {
			head[i] = FIRST(i) + 1;
			unused[head[i]] = 0;
			kind[head[i]] = POSTED;
			fn[head[i]] = CALLED(i);
			mode[i] = INHOST
		};
		finished = CALLERS;
#else
		for (i : 0 .. CALLERS - 1) { run Caller(i) };
#endif
#ifdef TERMINATE
		run Terminator();
#endif
		i = 0
	};
	timeout;
	atomic {
		finished == CALLERS; /* or else init blocks as well, and this is an invalid end state */
		for (i : 1 .. JOBS) { assert(fate[i] != UNDECIDED && (control[i] == 0) == (fate[i] == NOT_RUN) && control[i] != BEGUN
			|| NOBODY_MADE(i) || all_decided) };
		for (i : 0 .. QUEUES - 1) { assert(!firstTaken[i] && wait[i] == NIL && depth[i] == 0 || one_owner) };
		for (i : 1 .. QUEUES*RECORDS) { assert(unused[i] == ((i - 1)%RECORDS != 0) || one_owner) }
	}
}

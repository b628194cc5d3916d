/* Threads whose functions call each other: in a cycle, nested, after a Go, by way of a bounded
 * queue.
 *
 * Each job is one function, as a process: it runs on the thread that has set its control to BEGUN,
 * which waits until it is ENDED, or LEFT by Goexit. So what a function does on its thread, also
 * in place of that thread's waiting, needs no stack but that of the processes that wait for each
 * other.
 *
 * CYCLE says which jobs there are. Tables give for each job, from 1, the thread that it runs on,
 * the job that its function queues by Go first, the job that it calls then, and the job whose
 * function waits for it. START queues the first jobs, and runs the OUTSIDE goroutines that are on
 * no thread.
 */
#define INNER     1 /* a function on A calls B, whose function calls A, whose function calls A again */
#define NESTED    2 /* a function on A queues one there by Go and calls one there; a goroutine calls A too */
#define TRAIL     3 /* a function on A queues one on B by Go and calls B; another on B calls A */
#define BOUNDED   4 /* a function on A queues one on B by Go, where a place is held; one on B calls A */

#if CYCLE == INNER
#define QUEUES 2
#define JOBS 4
#define START run Caller(0, 1)
#define OUTSIDE 1
#define ON(j)   ((j) == 2)
#define GOES(j) 0
#define SUB(j)  ((j) < JOBS -> (j) + 1 : 0)
#define CALLER(j) ((j) > 0 -> (j) - 1 : 0)
#elif CYCLE == NESTED
#define QUEUES 1
#define JOBS 4
#define START run Caller(0, 1); run Caller(1, 4)
#define OUTSIDE 2
#define ON(j)   0
#define GOES(j) ((j) == 1 -> 2 : 0)
#define SUB(j)  ((j) == 1 -> 3 : 0)
#define CALLER(j) ((j) == 3 -> 1 : 0)
#elif CYCLE == TRAIL
#define QUEUES 2
#define JOBS 5
#define START Prepare(0, 1, POSTED, 1); Prepare(1, 1, POSTED, 3)
#define OUTSIDE 0
#define ON(j)   ((j) == 2 || (j) == 3 || (j) == 5)
#define GOES(j) ((j) == 1 -> 5 : 0)
#define SUB(j)  ((j)%2 == 1 && (j) < 5 -> (j) + 1 : 0)
#define CALLER(j) ((j) == 2 || (j) == 4 -> (j) - 1 : 0)
#elif CYCLE == BOUNDED
#define LIMIT 1 /* of every queue */
#define QUEUES 2
#define JOBS 6
#define START Prepare(0, 1, POSTED, 1); Prepare(1, 1, POSTED, 2); Prepare(1, 2, PLACED, 5); \
	run Poster(1)
#define OUTSIDE 1
#define ON(j)   ((j) == 2 || (j) == 3 || (j) == 5)
#define GOES(j) ((j) == 1 -> 3 : 0)
#define SUB(j)  ((j) == 2 -> 4 : 0)
#define CALLER(j) ((j) == 4 -> 2 : 0)
#endif
#ifndef LIMIT
#define LIMIT 255 /* there is none */
#endif
#ifndef GOEXIT
#define GOEXIT 0 /* the job whose function ends with Goexit */
#endif

#include "callq.pml"
#include "engine.pml"

#define THREAD(e) (8 + (e)) /* Engine.id, as poster */

#define BEGUN  1
#define ENDED  2
#define LEFT   3
byte control[JOBS + 1];

byte wait[QUEUES];          /* waiter.wait: the call, or PLACE; */
/* and the thread that it is for. Both are one pointer to what does not change. */
byte waitOn[QUEUES];
byte finished;
bit made[JOBS + 1];          /* history: the call has been made */
#define LOWEST(set) ((set) & 1 -> 0 : 1)
byte places[QUEUES];         /* limit.places */
bit limitClosed[QUEUES];     /* limit.closed */
bit placeToken[QUEUES];      /* waiter.token */

/* property: a function that a caller waits for begins and runs only while its caller is there, and
 * does not begin after others have been told of a Goexit that has unwound its caller */
bit caller_there;
bit told;         /* history: another thread has been told of the Goexit */

/* What a thread posts to itself runs after the call that it makes to itself. */
#if CYCLE == NESTED
#define ORDERED(posted) (fate[posted] != HAS_RUN)
#else
#define ORDERED(posted) (fate[posted] != UNDECIDED)
#endif
#define Begin(job) Decide(job, HAS_RUN); control[job] = BEGUN; \
	assert(!(GOES(CALLER(job))) || ORDERED(GOES(CALLER(job))) || in_order); \
	assert(CALLER(job) == 0 || control[CALLER(job)] == BEGUN || caller_there); \
	assert(!told || job != 2 || caller_there)

#define MORE byte p, q, y, t, m, i, seen, todo; bit entered, exits, unwound

/* Engine.run and invoke, for a call q on thread e; exits if the function has called Goexit.
 * during: e waits for c. */
inline Exec(e, during) {
	if
	:: atomic { kind[q] == POSTED || kind[q] == PLACED ->
			When(kind[q] == PLACED, assert(places[e] > 0 || one_owner); places[e]--);
			i = fn[q]; fn[q] = 0 };
		PutRecord(q);
		d_step { Begin(i); q = 0 };
		atomic { control[i] >= ENDED -> exits = (control[i] == LEFT); i = 0 }
	:: kind[q] == AWAITED -> ExecAwaited(e, during)
	fi;
	q = 0
}

inline ExecAwaited(e, during) {
	if
	:: d_step { state[q] & UNWANTED -> Decide(fn[q], NOT_RUN) }; Settle(q, REFUSED)
	:: d_step { !(state[q] & UNWANTED) -> Begin(fn[q]) };
		if
		:: d_step { control[fn[q]] == ENDED -> result[q] = fn[q] };
			Settle(q, RAN)
		:: control[fn[q]] == LEFT ->
			exits = 1;
			When(during, Abandon(c)); /* wait.abandon */
			result[q] = fn[q];
			Settle(q, EXITED)
		fi
	fi
}

/* Engine.Start: serveAll, loop and step */
proctype Thread(byte e) {
	LOCALS; MORE;
	at = e + 1;
	do
	:: head[e] == CLOSED -> break
	:: head[e] != CLOSED ->
		Take(e);
		Either(c != NIL,
			atomic { q = c; c = 0 };
			Exec(e, 0);
			exits = 0, /* serveAll */
			Idle(e))
	od
}

/* Engine.runFor, for all of p, while e waits; exits as in Exec. */
inline RunList(e) {
	do
	:: p == NIL -> break
	:: p != NIL && head[e] == CLOSED -> Return(e); break
	:: p != NIL && head[e] != CLOSED ->
		d_step { q = p; p = next[q]; next[q] = NIL }; /* Pop */
		Exec(e, 1);
		When(exits, Return(e); break)
	od
}

/* Engine.waitFor and waitOn, on thread e, for c, which thread t has. It is the outcome o,
 * or exits, and then the record is no longer the caller's. */
inline WaitFor(e) {
	do
	:: Park(c);
		Either(!yes, Outcome(c); break, yes = 0);
		d_step { wait[e] = c; waitOn[e] = t };
		Rescue(e);
		if
		:: exits -> /* the deferred function, and waitOn again */
			exits = 0; unwound = 1; entered = 0;
			wait[e] = NIL;
			Abandon(c)
		:: !exits && ok -> ok = 0; entered = 0
		:: !exits && !ok ->
			When(!entered, entered = 1; PokeAll(e));
			atomic { token[c] -> token[c] = 0 } /* waitToken */
		fi
	od;
	wait[e] = NIL;
	entered = 0;
	When(unwound, unwound = 0; exits = 1; o = 0; Put(c))
}

/* Engine.explore, for a wait for a thread: seen, as bits. */
inline Reach(on) {
	d_step { seen = 1 << (on); todo = seen };
	do
	:: d_step { todo != 0 ->
			y = LOWEST(todo);
			todo = todo & ~(1 << y);
			When(wait[y] != NIL,
				todo = todo | (1 << waitOn[y] & ~seen); seen = seen | 1 << waitOn[y]);
			y = 0 }
	:: todo == 0 -> break
	od
}

/* Engine.rescue: ok if it has run something. */
inline Rescue(e) {
	Reach(t);
	atomic { todo = seen & ~(1 << e); seen = 0; ok = 0 };
	do
	:: todo == 0 -> break
	:: d_step { todo != 0 -> y = LOWEST(todo); todo = todo & ~(1 << y); i = wait[y]; m = waitOn[y] };
		When(ISCALL(i) && m == e, TakeFrom(e, THREAD(y), i));
		d_step { i = 0; m = 0; y = 0 };
		When(p != NIL, todo = 0; wait[e] = NIL; RunList(e); ok = 1)
	od
}

/* Engine.rescue, if it runs nothing; here, all are notified */
inline PokeAll(e) {
	Reach(t);
	do
	:: d_step { seen != 0 -> y = LOWEST(seen); seen = seen & ~(1 << y); i = wait[y] };
		if
		:: i == NIL
		:: ISCALL(i) -> Notify(i)
		:: i == PLACE -> placeToken[y] = 1
		fi;
		i = 0; y = 0
	:: seen == 0 -> break
	od
}

/* target.acquire, for a queue that is not the thread's own: m is the kind. */
inline Enter(e) {
	if
	:: d_step { places[t] < LIMIT -> places[t]++; m = PLACED }
	:: places[t] >= LIMIT -> /* Engine.waitForPlace */
		d_step { wait[e] = PLACE; waitOn[e] = t };
		do
		:: Reach(t);
			if
			:: d_step { seen & (1 << e) -> seen = 0; m = POSTED }; break
			:: d_step { !(seen & (1 << e)) -> seen = 0 }
			fi;
			if
			:: d_step { places[t] < LIMIT -> places[t]++; m = PLACED }; break
			:: limitClosed[t] -> m = POSTED; break
			:: d_step { placeToken[e] -> placeToken[e] = 0 }
			fi
		od;
		wait[e] = NIL
	fi
}

/* A function. Whether a coroutine makes its calls or the serving goroutine does is the same: both
 * are on the thread. */
proctype Function(byte j0) {
	LOCALS; MORE; byte e;
end:	control[j0] == BEGUN;
	atomic { e = ON(j0); at = e + 1; j = GOES(j0); t = ON(j) };
	if
	:: j != 0 -> /* Engine.Go */
		Enter(e);
		made[j] = 1;
		Record(t, m, j, THREAD(e));
		m = 0;
		Push(t);
		EndPost();
		WakeIfOwed(t);
		c = 0
	:: else
	fi;
	atomic { j = SUB(j0); t = ON(j) };
	if
	:: j != 0 && t == e -> /* Engine.nested */
		if
		:: head[e] == CLOSED -> made[j] = 1; Decide(j, NOT_RUN)
		:: head[e] != CLOSED ->
			d_step { made[j] = 1; Begin(j) };
			atomic { control[j] >= ENDED -> exits = (control[j] == LEFT) }
		fi
	:: j != 0 && t != e -> /* Engine.Call, Engine.CallContext, Pool.Call */
		made[j] = 1;
		Get(t, AWAITED, j, THREAD(e));
		PushAndWake(t);
		if
		:: !ok -> d_step { Decide(j, NOT_RUN); fn[c] = 0 }; Put(c)
		:: else ->
			ok = 0;
			if
			:: d_step { SETTLED(state[c]) -> o = BARE(state[c]) }
			:: WaitFor(e)
			fi;
			if
			:: exits
			:: else ->
				d_step {
					assert(o == RAN || o >= EXITED || true_report);
					assert(o != RAN && o != EXITED || result[c] == j || true_report);
					assert((o != RAN && o != EXITED) == (fate[j] == NOT_RUN) &&
						fate[j] != UNDECIDED || true_report);
					exits = (o == EXITED);
					told = told || exits
				};
				Put(c)
			fi
		fi
	:: j == 0
	fi;
	d_step {
		assert(j == 0 || control[j] != BEGUN || caller_there);
		control[j0] = (exits || j0 == GOEXIT -> LEFT : ENDED)
	}
}

/* Engine.Call by a goroutine that is on no thread. */
proctype Caller(byte id, job) {
	LOCALS;
	atomic { j = job; made[j] = 1 };
	Get(ON(j), AWAITED, j, id);
	PushAndWake(ON(j));
	EndCall();
	finished++
}

/* Engine.Go of the last job by a goroutine that is on no thread, to a queue in which a place is
 * held. */
proctype Poster(byte e) {
	LOCALS; byte m;
	if
	:: d_step { places[e] < LIMIT -> places[e]++; m = PLACED }
	:: limitClosed[e] -> m = POSTED
	fi;
	atomic { j = JOBS; made[j] = 1 };
	Record(e, m, j, 0);
	PushAndWake(e);
	EndPost();
	finished++
}

#ifdef TERMINATE
/* Engine.Terminate */
proctype Terminator() {
	LOCALS;
	Close(TERMINATE); /* the number of a queue */
	limitClosed[TERMINATE] = 1;
	WakeIfOwed(TERMINATE)
}
#endif

/* A posted call of no goroutine's is in the queue e. */
inline Prepare(e, nth, k, job) {
	i = FIRST(e) + nth;
	next[i] = (ISCALL(head[e]) -> head[e] : NIL);
	head[e] = i;
	unused[i] = 0; kind[i] = k; fn[i] = job; made[job] = 1;
	places[e] = places[e] + (k == PLACED)
}

init {
	byte i;
	atomic {
		FreeAll();
		for (i : 0 .. QUEUES - 1) { run Thread(i) };
		for (i : 1 .. JOBS) { run Function(i) };
		START;
#ifdef TERMINATE
		run Terminator();
#endif
		i = 0
	};
	timeout;
	atomic {
		finished == OUTSIDE; /* or else init blocks as well, and this is an invalid end state */
		for (i : 1 .. JOBS) {
			assert(made[i] == (fate[i] != UNDECIDED) && (control[i] == 0) == (fate[i] != HAS_RUN) &&
				control[i] != BEGUN || all_decided)
		};
		for (i : 0 .. QUEUES - 1) {
			assert(wait[i] == NIL && (places[i] == 0 || limitClosed[i]) || one_owner)
		};
		CheckFree()
	}
}

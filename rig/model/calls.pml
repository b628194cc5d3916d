/* Threads that serve, several callers, Terminate: one thread of the engine's own, or with WORKERS a
 * pool. What a pool's threads do in cycles is in cycle.pml.
 *
 *   CALLERS, CALLS   goroutines, and how many calls each makes, of any kind
 *   DEADLINES        some have a context, which may come to its end
 *   TERMINATE        the thread is terminated some time, or never; the pool some time
 *
 *   WORKERS          threads of the pool
 *   POSTERS          so many of the callers post, and the others call
 *   TOGETHER         the functions of both callers wait until the other has begun as well
 *   RETIRE           the pool is retired when all calls have been made, as when its handle has been
 *                    collected
 */
#ifndef CALLS
#define CALLS 1
#endif
#define JOBS (CALLERS*CALLS)
#ifdef WORKERS
#define POOL WORKERS
#define BACKLOG CALLERS
#define THREADS WORKERS
#define QUEUES (WORKERS + 1)
#define TO POOL /* whose records callers take */
#else
#define THREADS 1
#define TO 0
#endif
#include "callq.pml"
#include "engine.pml"

#ifdef POSTERS
#define CALLING (CALLERS - POSTERS)
#define POSTING CALLING
#else
#define CALLING CALLERS
#define POSTING 0
#endif

byte finished, ended; /* callers, threads */
/* Every caller comes to its end, and so does each thread if it has been terminated. */
#ifdef WORKERS
#define DISMISSED (closed || retired)
#else
#define DISMISSED (head[0] == CLOSED)
#endif
#define ENDED (finished == CALLERS && (!DISMISSED || ended == THREADS))
#ifdef LIVE
ltl ends { <>[] ENDED }
#endif

#define FIRST_OF(job) (((job) - 1)%CALLS == 0)

/* A function begins: it is the turn of its job, which is that of its goroutine as well. */
#define Begin(job) Decide(job, HAS_RUN); \
	assert(FIRST_OF(job) || fate[(job) - 1] != UNDECIDED || in_order)

#ifdef TOGETHER
bit begun[CALLERS + 1];
#define Function(job) ; begun[job] = 1; begun[1] && begun[2]
#else
#define Function(job)
#endif

/* Engine.run; the function returns at once, or when the other has begun. The run of a posted call
 * may be any time after its record was freed. */
inline Run(e) {
	if
	:: kind[c] == CONTROL -> Put(c)
	:: d_step { kind[c] == POSTED -> j = fn[c]; fn[c] = 0; Begin(j) };
		PutRecord(c) Function(j); j = 0
	:: kind[c] == WITHDRAWABLE ->
		Start(c);
		When(yes, yes = 0; RunAwaited())
	:: kind[c] == AWAITED -> RunAwaited()
	fi;
	c = 0
}

inline RunAwaited() {
	d_step { Begin(fn[c]); result[c] = fn[c] }
	Function(result[c]); Settle(c, RAN)
}

/* Engine.Start: serveAll, loop and step */
proctype Thread(byte e) {
	LOCALS;
	at = e + 1;
	do
	:: head[e] == CLOSED -> break
	:: head[e] != CLOSED ->
		Take(e);
#ifdef POOL
		When(c == NIL, Next(e));
#endif
		Either(c != NIL, Run(e), Idle(e))
	od;
	ended++
}

/* Engine.Call, Engine.CallContext, Engine.Go, or those of Pool */
proctype Caller(byte id) {
	LOCALS; byte i;
	do
	:: i < CALLS ->
		j = id*CALLS + i + 1;
		if
		:: id < CALLING -> Get(TO, AWAITED, j, 0)
		:: id >= POSTING -> Record(TO, POSTED, j, 0); posts = 1
#ifdef DEADLINES
		:: Get(TO, WITHDRAWABLE, j, 0); d_step { ctx = 1; mayExpire[j] = 1 }
		:: Get(TO, WITHDRAWABLE, j, 0); ctx = 1 /* a deadline that does not come */
#endif
		fi;
#ifdef POOL
		Submit();
#else
		PushAndWake(0);
#endif
		EndCall();
		atomic { i++; c = 0; o = 0; j = 0; ok = 0; ctx = 0; posts = 0 }
	:: else -> break
	od;
	finished++
}

proctype Terminator() {
	LOCALS; byte i;
#ifdef POOL
	TerminatePool()
#else
	if
	:: Terminate(0)
	:: skip
	fi
#endif
}

#ifdef RETIRE
/* Pool.Retire. All calls have returned: each of them keeps the handle alive. */
proctype Retirer() {
	LOCALS; byte i;
end:	finished == CALLERS;
	retired = 1;
	While(i < WORKERS,
		/* Engine.Control */
		Record(i, CONTROL, 0, 0);
		Push(i);
		Unless(ok, PutRecord(c));
		WakeIfOwed(i);
		i++)
}
#endif

init {
	byte i;
	atomic {
		FreeAll();
		for (i : 0 .. CALLERS - 1) { run Caller(i) };
		for (i : 0 .. THREADS - 1) { run Thread(i) };
#ifdef TERMINATE
		run Terminator();
#endif
#ifdef RETIRE
		run Retirer();
#endif
		i = 0
	};
#ifndef LIVE
	timeout;
	atomic {
		ENDED; /* or else init blocks as well, and this is an invalid end state */
		for (i : 1 .. JOBS) { assert(fate[i] != UNDECIDED || all_decided) };
		CheckFree()
	}
#endif
}

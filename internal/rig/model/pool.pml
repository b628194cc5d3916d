/* A pool, several callers, Terminate or Retire. What a pool's threads do in cycles is in cycle.pml.
 *
 *   WORKERS     threads
 *   CALLERS     goroutines, each of which makes one call or posts one function
 *   POSTERS     so many of them post, and the others call; without it each does one or the other
 *   TERMINATE   the pool is terminated some time
 *   TOGETHER    the functions of both callers wait until the other has begun as well
 *   RETIRE      it is retired when all calls have been made, as when its handle has been collected
 */
#define POOL WORKERS
#define BACKLOG CALLERS
#define THREADS WORKERS
#define QUEUES (WORKERS + 1)
#define JOBS CALLERS
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
#ifdef LIVE
/* Every caller comes to its end, and all threads too if the pool has been terminated or retired. */
ltl ends { <>[] (finished == CALLERS && (!closed && !retired || ended == WORKERS)) }
#endif

#ifdef TOGETHER
bit begun[CALLERS + 1];
#define Function(job) ; begun[job] = 1; begun[1] && begun[2]
#else
#define Function(job)
#endif

/* Engine.run; the function returns at once, or when the other has begun. */
inline Run() {
	if
	:: kind[c] == CONTROL -> Put(c)
	:: d_step { kind[c] == POSTED -> Decide(fn[c], HAS_RUN); j = fn[c]; fn[c] = 0 };
		PutRecord(c) Function(j); j = 0
	:: d_step { kind[c] == AWAITED -> Decide(fn[c], HAS_RUN); result[c] = fn[c] }
		Function(result[c]); Settle(c, RAN)
	fi;
	c = 0
}

/* Engine.Start: serveAll, loop and step */
proctype Worker(byte e) {
	LOCALS;
	at = e + 1;
	do
	:: head[e] == CLOSED -> break
	:: head[e] != CLOSED ->
		Take(e);
		When(c == NIL, Next(e));
		Either(c != NIL, Run(), Idle(e))
	od;
	ended++
}

/* Pool.Call, Pool.Go */
proctype Caller(byte id) {
	LOCALS; bit posts;
	j = id + 1;
	if
	:: id < CALLING -> Get(POOL, AWAITED, j, 0)
	:: id >= POSTING -> Record(POOL, POSTED, j, 0); posts = 1
	fi;
	Submit();
	o = 0;
	EndCall(0);
	finished++
}

#ifdef TERMINATE
proctype Terminator() {
	LOCALS; byte i;
	TerminatePool()
}
#endif

#ifdef RETIRE
/* Pool.Retire. All calls have returned: each of them keeps the handle alive. */
proctype Retirer() {
	LOCALS; byte i;
end:	finished == CALLERS;
#ifdef FAULT_RETIRED_IDLE /* Pool.Retire: leaves the idle threads listed */
	retired = 1;
#else
	d_step {
		retired = 1; idlers = 0;
		for (i : 0 .. WORKERS - 1) { idle[i] = 0; listed[i] = 0 };
		i = 0
	};
#endif
	While(i < WORKERS,
		/* Engine.interrupt */
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
		for (i : 0 .. WORKERS - 1) { run Worker(i) };
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
		finished == CALLERS; /* or else init blocks as well, and this is an invalid end state */
#if defined(TERMINATE) || defined(RETIRE)
		ended == WORKERS;
#endif
		for (i : 1 .. JOBS) { assert(fate[i] != UNDECIDED || all_decided) };
		CheckFree()
	}
#endif
}

/* One thread of the engine's own, several callers, and Terminate.
 *
 *   CALLERS, CALLS   goroutines, and how many calls each makes, of any kind
 *   DEADLINES        some have a context, which may come to its end
 *   TERMINATE        the thread is terminated some time, or never
 */
#define JOBS (CALLERS*CALLS)
#ifndef RECORDS
#define RECORDS (CALLERS + 1)
#endif
#include "callq.pml"
#include "engine.pml"

byte finished; /* callers */
#ifdef LIVE
bit gone;
/* Every caller comes to its end, and the thread too if it has been terminated. */
ltl ends { <>[] (finished == CALLERS && (head[0] != CLOSED || gone)) }
#define GONE   gone = 1
#else
#define GONE   skip
#endif

#define FIRST_OF(job) (((job) - 1)%CALLS == 0)

/* A function begins: it is the turn of its job, which is that of its goroutine as well. */
#define Begin(job) Decide(job, HAS_RUN); \
	assert(FIRST_OF(job) || fate[(job) - 1] != UNDECIDED || in_order)

/* Engine.run; the function only returns. The run of a posted call may be any time after its record
 * was freed. */
inline Run(e) {
	if
	:: kind[c] == POSTED ->
		d_step { j = fn[c]; fn[c] = 0; Begin(j); j = 0 };
		PutRecord(c)
#ifdef DEADLINES
	:: kind[c] == WITHDRAWABLE ->
		Start(c);
		When(yes, yes = 0; RunAwaited())
#endif
	:: kind[c] == AWAITED -> RunAwaited()
	fi;
	c = 0
}

inline RunAwaited() {
#ifdef FAULT_SETTLED_FIRST /* Engine.run: Settle before the result is written */
	d_step { Begin(fn[c]); r = fn[c] };
	Settle(c, RAN);
	atomic { result[c] = r; r = 0 }
#else
	d_step { Begin(fn[c]); result[c] = fn[c] };
	Settle(c, RAN)
#endif
}

/* Engine.Start: serveAll, loop and step */
proctype Thread(byte e) {
	LOCALS;
	at = e + 1;
	do
#ifdef FAULT_LOOPS_ON /* Engine.loop: does not look whether the queue is closed */
	:: skip ->
#else
	:: head[e] == CLOSED -> break
	:: head[e] != CLOSED ->
#endif
		Take(e);
		Either(c != NIL, Run(e), Idle(e))
	od;
	GONE
}

/* Engine.Call, Engine.CallContext, Engine.Go */
proctype Caller(byte id) {
	LOCALS; byte i; bit ctx, posts;
	do
	:: i < CALLS ->
		j = id*CALLS + i + 1;
		if
		:: Get(0, AWAITED, j, id)
		:: Record(0, POSTED, j, id); posts = 1
#ifdef DEADLINES
		:: Get(0, WITHDRAWABLE, j, id); d_step { ctx = 1; mayExpire[j] = 1 }
		:: Get(0, WITHDRAWABLE, j, id); ctx = 1 /* a deadline that does not come */
#endif
		fi;
		PushAndWake(0);
		EndCall(ctx);
		atomic { i++; c = 0; o = 0; j = 0; ok = 0; ctx = 0; posts = 0 }
	:: else -> break
	od;
	finished++
}

#ifdef TERMINATE
/* Engine.Terminate */
proctype Terminator() {
	LOCALS;
	if
	:: Terminate(0)
	:: skip
	fi
}
#endif

init {
	byte i;
	atomic {
		FreeAll();
		for (i : 0 .. CALLERS - 1) { run Caller(i) };
		run Thread(0);
#ifdef TERMINATE
		run Terminator();
#endif
		i = 1
	};
#ifndef LIVE
	timeout;
	atomic {
		finished == CALLERS; /* or else init blocks as well, and this is an invalid end state */
		for (i : 1 .. JOBS) { assert(fate[i] != UNDECIDED || all_decided) };
		CheckFree()
	}
#endif
}

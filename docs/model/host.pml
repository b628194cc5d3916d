/* A thread with an event loop of its own: Adopt, OnWake, Serve and ServeContext.
 *
 * The loop is GLFW's: WaitEvents returns when events have been posted, and takes all of them; the hook posts one. The
 * host may serve a context first, before it sets the hook or after (CONTEXT). It
 * may be terminated (TERMINATE). A function may serve and wait itself (MODAL), as
 * dialogs do. Job 1 is the Control record of Engine.nudge.
 */
#define HOST
#define QUEUES 1
#define JOBS (CALLERS + 1)
#include "callq.pml"
#include "engine.pml"

byte finished;
bit serving, expiry, returned; /* ServeContext has begun; its context has ended; it has returned */

/* Engine.run; the function only returns. */
inline Run(e) {
	if
	:: kind[c] == CONTROL -> d_step { Decide(fn[c], HAS_RUN); fn[c] = 0 }; PutRecord(c)
	:: kind[c] == POSTED -> d_step { Decide(fn[c], HAS_RUN); fn[c] = 0 }; PutRecord(c)
	:: d_step { kind[c] == AWAITED -> Decide(fn[c], HAS_RUN); result[c] = fn[c] };
		Modal(e);
		Settle(c, RAN)
	fi;
	c = 0
}

inline RunInside(e) {
	if
	:: kind[c] == CONTROL -> d_step { Decide(fn[c], HAS_RUN); fn[c] = 0 }; PutRecord(c)
	:: kind[c] == POSTED -> d_step { Decide(fn[c], HAS_RUN); fn[c] = 0 }; PutRecord(c)
	:: d_step { kind[c] == AWAITED -> Decide(fn[c], HAS_RUN); result[c] = fn[c] }; Settle(c, RAN)
	fi;
	c = 0
}

/* A function that serves, and then waits and serves until its caller's program has no more to say. */
inline Modal(e) {
#ifdef MODAL
	if
	:: fn[c] == 2 ->
		outer = c;
#ifndef FAULT_WAITS_FIRST /* the host, or the engine: calls taken together with the function are not announced to its loop */
		ServeInside(e);
#endif
		do
		:: fate[3] != UNDECIDED -> break
		:: fate[3] == UNDECIDED -> WaitEvents(); ServeInside(e)
		od;
		c = outer; outer = 0
	:: else
	fi
#else
	skip
#endif
}

inline WaitEvents() {
	waiting = 1;
	atomic { event -> event = 0; waiting = 0 }
}

/* Engine.Serve, of a hook that is set */
inline Serve(e) {
	rest[e] = RESTING;
#ifdef FAULT_RUNG_LATE /* Engine.Serve: rung is cleared after the calls were gathered */
	Gather(e);
	rung = 0;
#else
	rung = 0;
	Gather(e);
#endif
	do
	:: TakeReady(e);
		if
		:: c == NIL -> break
		:: else -> Run(e)
		fi
	od
}

inline ServeInside(e) {
	rung = 0;
	Gather(e);
	do
	:: TakeReady(e);
		if
		:: c == NIL -> break
		:: else -> RunInside(e)
		fi
	od
}

/* Engine.leave */
inline Leave(e) {
	rung = 0;
	Rest(e);
	if
	:: ok -> ok = 0
	:: else -> /* Queue.Pending */
		if
		:: d_step { ISCALL(ready[e]) -> owed[e]++ }; Wake(e)
		:: ready[e] == CLOSED
		:: ready[e] == NIL ->
			if
			:: d_step { ISCALL(head[e]) -> owed[e]++ }; Wake(e)
			:: !ISCALL(head[e]) -> skip
			fi
		fi
	fi
}

/* Engine.OnWake, on the thread */
inline OnWake(e) {
	hook = 1;
	rest[e] = RESTING;
#ifndef FAULT_NOT_LEFT /* Engine.OnWake: does not look whether something is queued already */
	Leave(e)
#endif
}

/* Engine.ServeContext */
inline ServeContext(e) {
	serving = 1;
	rest[e] = (hook -> RESTING : NIL);
	do
	:: expiry -> break
#ifdef TERMINATE
	:: !expiry && head[e] == CLOSED -> break
	:: !expiry && head[e] != CLOSED ->
#else
	:: !expiry ->
#endif
		if /* Engine.step */
		:: hook -> rest[e] = RESTING; rung = 0
		:: else
		fi;
		Take(e);
		if
		:: c != NIL -> RunInside(e)
		:: else -> Idle(e)
		fi
	od;
	rest[e] = RESTING;
#ifndef FAULT_NO_LEAVE /* Engine.ServeContext: returns without leave */
	Leave(e);
#endif
	returned = 1
}

proctype Host(byte e) {
	LOCALS; byte outer;
	if
	:: OnWake(e)
	:: skip
	fi;
#ifdef CONTEXT
	ServeContext(e);
#endif
	if
	:: !hook -> OnWake(e)
	:: else
	fi;
	do
	:: waiting = 1;
end_wait:	atomic { event -> event = 0; waiting = 0 };
		Serve(e)
	od
}

#ifdef CONTEXT
/* context.AfterFunc and Engine.nudge */
proctype Deadline() {
	LOCALS;
end:	serving;
	expiry = 1;
#ifndef FAULT_NO_NUDGE /* Engine.ServeContext: without the nudge */
	Record(0, CONTROL, 1, 0);
	Push(0);
	if
	:: ok -> ok = 0
	:: else -> fn[c] = 0; PutRecord(c)
	fi;
	if
	:: wake -> wake = 0; Wake(0)
	:: else
	fi
#endif
}
#endif

#ifdef TERMINATE
/* Engine.Terminate, by another goroutine */
proctype Terminator() {
	LOCALS;
	Close(0);
	if
	:: wake -> wake = 0; Wake(0)
	:: else
	fi
}
#endif

/* Engine.Call and Engine.Go */
proctype Caller(byte id) {
	LOCALS; bit posts;
	j = id + 2;
	if
	:: Get(0, AWAITED, j, id)
	:: id > 0 -> Record(0, POSTED, j, id); posts = 1
	fi;
	Push(0);
	if
	:: wake -> wake = 0; Wake(0)
	:: else
	fi;
	if
	:: atomic { !ok -> Decide(j, NOT_RUN); fn[c] = 0 }; Put(c)
	:: ok && posts
	:: ok && !posts ->
		Await(0);
		atomic {
			assert(o != RAN || result[c] == j || true_report);
			assert((o == RAN) == (fate[j] == HAS_RUN) && fate[j] != UNDECIDED || true_report)
		};
		Put(c)
	fi;
	finished++
}

init {
	byte i;
	atomic {
		mode[0] = INHOST; /* Adopt */
		rest[0] = RESTING;
		for (i : 0 .. RECORDS - 1) { unused[i + 1] = (i != 0) };
		for (i : 0 .. CALLERS - 1) { run Caller(i) };
		run Host(0);
#ifdef CONTEXT
		run Deadline();
#endif
#ifdef TERMINATE
		run Terminator();
#endif
		i = 2
	};
	timeout;
	atomic {
		finished == CALLERS; /* or else init blocks as well, and this is an invalid end state */
		for (i : 2 .. JOBS) { assert(fate[i] != UNDECIDED || all_decided) };
#ifdef CONTEXT
		assert(returned || all_decided);
#endif
		assert(!firstTaken[0] || one_owner)
	}
}

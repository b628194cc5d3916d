/* A thread with an event loop of its own: Adopt, OnWake, Serve, ServeContext and Wait.
 *
 * The loop is GLFW's: WaitEvents returns when events have been posted, and takes all of them; the
 * callback posts one. Whenever nothing is queued, the event of a late wake-up may be taken.
 *
 *   CONTEXT     the host serves a context first, before it calls OnWake or after
 *   TERMINATE   the thread is terminated some time, by another goroutine
 *   EATS        the function of job 1 may take all events from the event loop, and wait for another
 *               thread
 *   DIALOG      it may call Wait
 *   OWNPOSTS    it posts the last job to its own thread
 *   WAIT        the event loop consists of Wait; this many native events come, or fewer. A
 *               callback of block may call Serve or Wait, and may panic; then the host waits
 *               without Wait, and serves. Between two Waits it may take all events
 */
#define HOST
#define QUEUES 1
#ifdef OWNPOSTS
#define JOBS (CALLERS + 1)
#define OWN JOBS
#else
#define JOBS CALLERS
#define OWN 0
#endif
#ifndef WAIT
#define WAIT 0
#endif
#include "callq.pml"

byte finished;
bit begun, expiry, returned; /* ServeContext has begun; its context has ended; it has returned */

#include "engine.pml"

#define Taken announced = 0;

byte serving;  /* Engine.serving; only the thread changes it */
bit known = 1; /* the thread has its identity: Engine.m */
bit blocked;   /* eventLoop.blocked */
/* property: it has it while a function runs, and not any more when it was terminated and does not serve */
bit identity;

/* Engine.beginServing */
inline Begin() { serving++ }

/* Engine.endServing */
inline End(e) {
	d_step { serving--; yes = (serving == 0); Only(e) };
	if
	:: yes && head[e] == CLOSED -> known = 0 /* forget */
	:: !yes || head[e] != CLOSED
	fi;
	yes = 0;
	When(rest[e] != NIL,
		RestInHost(e);
		if
		:: d_step { blocked && head[e] == CLOSED -> owed[e]++ }; Wake(e)
		:: !blocked || head[e] != CLOSED
		fi)
}

/* Engine.restInHost */
inline RestInHost(e) {
	Rest(e);
	if
	:: d_step { ok -> ok = 0; Taken }
	:: !ok && head[e] == CLOSED
	:: d_step { !ok && head[e] != CLOSED -> owed[e]++ };
		When(serving == 0, Awake(e); announced = 1);
		Wake(e)
	fi;
}

/* Queue.RestAlways */
inline RestAlways(e, always) { d_step { rest[e] = always; Only(e) } }

/* Engine.OnWake */
inline OnWake(e) {
	d_step { onWake = 1; owed[e]++ }; /* it owes what is queued already a wake-up */
	mode[e] = UP;
	RestAlways(e, RESTING);
	RestInHost(e);
	owed[e]--
}

/* Engine.run; the function only returns. */
inline RunInside(e) {
	d_step { Decide(fn[c], HAS_RUN); assert(known || identity) };
	Either(kind[c] == POSTED,
		fn[c] = 0; PutRecord(c),
		result[c] = fn[c]; Settle(c, RAN));
	c = 0
}

/* Engine.Serve, until it takes calls. m is the mark. */
inline ServeUntil(e, m) {
	Begin();
	When(onWake, RestAlways(e, RESTING));
	Taken
	Mark(e);
	m = j; j = 0
}

#define RunMarked(m, run) do :: TakeUntil(e, m); Either(c == NIL, break, run(e)) od; m = 0

/* Engine.Serve, when what was queued has run. A function may have called Wait. */
inline AfterServe(e) {
	When(onWake, RestAlways(e, RESTING));
	End(e)
}

/* Engine.Serve inside a function */
inline ServeInside(e) {
	ServeUntil(e, inner);
	RunMarked(inner, RunInside);
	AfterServe(e)
}

/* ---- eventloop.go ---- */

byte natives = WAIT; /* native events that may come */
#ifdef TERMINATE
#define BLOCKED   in_block
#define DISMISSED false
#else
#define BLOCKED   end_in_block
/* a native event ends a dialog, or else the thread might wait there at the end */
#define DISMISSED (fate[1] != UNDECIDED && fate[JOBS] != UNDECIDED)
#endif

/* Engine.look */
inline Look(e) { RestAlways(e, NIL); Awake(e); Taken }

/* Queue.Pending: yes */
inline Pending(e) {
	if
	:: ISCALL(ready[e]) -> yes = 1
	:: ready[e] == CLOSED -> yes = 0
	:: ready[e] == NIL -> yes = ISCALL(head[e])
	fi
}

/* Engine.Wait and Engine.block, until f: yes if that is to be called. Whether loopBudget has
 * passed is left open. */
inline BeforeBlock(e) {
	Begin();
	Look(e);
	if
	:: head[e] == CLOSED
	:: head[e] != CLOSED ->
		Pending(e);
		if
		:: yes -> yes = 0 /* what is queued runs first */
		:: yes ->
			RestAlways(e, RESTING);
			owed[e]++;
			Wake(e)
		:: !yes ->
			RestAlways(e, RESTING);
			Rest(e);
			yes = ok; ok = 0
		fi
	fi
}

/* Engine.Wait, at its end. left: the thread is left blocked. */
inline AfterWait(e, left) {
	Look(e);
	When(left, RestAlways(e, RESTING));
	End(e)
}

/* Engine.Wait in a callback of block, or in a function */
inline WaitInside(e, inBlock) {
	blocked = 0;
	BeforeBlock(e);
	When(yes, yes = 0; waiting = 1; atomic { event || DISMISSED -> event = 0; waiting = 0 });
	Look(e);
	Mark(e);
	inner = j; j = 0;
	RunMarked(inner, RunInside);
	blocked = inBlock;
	AfterWait(e, inBlock)
}

/* Or loopBudget passes. */
#define RunSome(e) Run(e); if :: skip :: break fi

/* Engine.Wait: panicked, or ok unless the thread has been terminated */
inline Wait(e) {
	BeforeBlock(e);
	if
	:: yes ->
		yes = 0; blocked = 1; waiting = 1;
BLOCKED:	do
		:: atomic { event -> event = 0; waiting = 0 }; break
		:: atomic { natives > 0 -> natives--; event = 0; waiting = 0 };
			if
			:: break
			:: panicked = 1; break
			:: ServeInside(e)
			:: WaitInside(e, 1)
			fi;
			waiting = 1
		od;
		blocked = 0
	:: else
	fi;
	Look(e);
	Unless(panicked,
		Mark(e);
		mark = j; j = 0;
		RunMarked(mark, RunSome));
	AfterWait(e, panicked);
	ok = (head[e] != CLOSED)
}

inline Function(e) {
#ifdef EATS
	if
	:: event = 0
	:: Begin(); End(e) /* a wait for another thread */
	:: skip
	fi;
#endif
#ifdef DIALOG
	if
	:: WaitInside(e, 0)
	:: skip
	fi;
#endif
#ifdef OWNPOSTS
	j = JOBS;
	Record(e, POSTED, j, 0);
	Push(e);
	EndPost();
	atomic { c = 0; j = 0 };
	WakeIfOwed(e);
#endif
	skip
}

inline Run(e) {
	Either(kind[c] == AWAITED && fn[c] == 1,
		d_step { Decide(1, HAS_RUN); result[c] = 1; outer = c; c = 0 };
		Function(e);
		assert(known || identity);
		Settle(outer, RAN);
		outer = 0,
		RunInside(e))
}

/* Loop.Serve, that is, Loop.mayServe and Engine.Serve */
inline Serve(e) {
	When(known,
		ServeUntil(e, mark);
		RunMarked(mark, Run);
		AfterServe(e))
}

/* Engine.ServeContext */
inline ServeContext(e) {
	begun = 1; /* a thread without an identity is terminated, and so it returns at once as well */
	RestAlways(e, (onWake -> RESTING : NIL));
	Begin();
	do
	:: expiry || head[e] == CLOSED -> break
	:: !expiry && head[e] != CLOSED ->
		When(onWake, RestAlways(e, RESTING)); /* Engine.step */
		Taken
		Take(e);
		Either(c != NIL, Run(e), Idle(e))
	od;
	Awake(e);
	RestAlways(e, RESTING);
	End(e);
	returned = 1
}

proctype Host(byte e) {
	LOCALS; byte outer, mark, inner; bit panicked;
	at = e + 1;
	if
	:: OnWake(e)
	:: skip
	fi;
#ifdef CONTEXT
	ServeContext(e);
#endif
	When(!onWake, OnWake(e));
#if WAIT
	do
	:: !known -> break /* Thread.mayServe */
	:: known ->
		Wait(e);
		if
		:: panicked ->
			panicked = 0; ok = 0; waiting = 1;
end_unknown:		atomic { event -> event = 0; waiting = 0 };
			Serve(e)
		:: !panicked && !ok -> break
		:: !panicked && ok ->
			ok = 0;
			if
			:: event = 0 /* PollEvents */
			:: skip
			fi
		fi
	od
#else
	do
	:: waiting = 1;
end_wait:	atomic { event -> event = 0; waiting = 0 };
		Serve(e)
	od
#endif
}

/* context.AfterFunc and waking.unpark */
proctype Deadline() {
end:	begun;
	expiry = 1;
	wakeup[0] = 1
}

/* A native event loop inside block or a function, or a callback, takes an event when nothing is
 * queued, and does not serve. */
active proctype Eater() {
end:	do
	:: atomic { event && head[0] != CLOSED && !ISCALL(head[0]) && !ISCALL(ready[0]) -> event = 0 }
	od
}

/* Engine.Terminate, by another goroutine */
proctype Terminator() {
	LOCALS;
	Terminate(0);
	When(serving == 0, known = 0) /* forget */
}

/* Engine.Call and Engine.Go */
proctype Caller(byte id) {
	LOCALS;
	j = id + 1;
	if
	:: Get(0, AWAITED, j, id)
	:: id > 0 -> Record(0, POSTED, j, id); posts = 1
	fi;
	PushAndWake(0);
	EndCall();
	finished++
}

init {
	byte i;
	atomic {
		rest[0] = RESTING; /* Adopt */
		FreeAll();
		for (i : 0 .. CALLERS - 1) { run Caller(i) };
		run Host(0);
#ifdef CONTEXT
		run Deadline();
#endif
#ifdef TERMINATE
		run Terminator();
#endif
		i = 0
	};
	timeout;
	atomic {
		finished == CALLERS; /* or else init blocks as well, and this is an invalid end state */
		for (i : 1 .. JOBS) {
			assert(fate[i] != UNDECIDED || i == OWN && fate[1] != HAS_RUN || all_decided)
		};
		assert(!begun || returned || all_decided);
		assert(head[0] != CLOSED || serving == 0 && !known || identity);
		CheckFree()
	}
}

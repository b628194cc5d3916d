/* Package internal/callq: the queue and the record of a call. Included by every model.
 *
 * Every Go atomic operation is one step here. Load, and what is decided by it, is the guard of an if; a
 * compare-and-swap is an if with two guards, "is as expected" in a d_step with its write, and "is not". Plain fields
 * that only the owner of a record may touch are read and written in the same step as the atomic operation next to
 * them. AND stands before an atomic operation on a record that nobody else can reach at that moment. It is a step of
 * its own if FINE is defined, and otherwise joined to the one before, which saves states and hides nothing.
 *
 * Inlines are named as the Go functions. They use the variables of LOCALS, which each process declares.
 *
 * FAULT_x is a mistake that a programmer could make. See README.md.
 */

#ifdef FINE
#define AND }; atomic {
#define MERGE
#else
#define AND ;
#define MERGE atomic
#endif

#define NIL     0
#define RESTING 14
#define CLOSED  15
#define ISCALL(x) ((x) != NIL && (x) < RESTING)

/* Records. Queue e has RECORDS of them, from FIRST(e), which is Queue.first; the others are for its free list. */
#ifndef QUEUES
#define QUEUES 1
#endif
#define ALL      (QUEUES*RECORDS + 1)
#define FIRST(e) ((e)*RECORDS + 1)
#define OWNER(c) (((c) - 1)/RECORDS)  /* Call.Queue */

/* Kind. */
#define AWAITED      0
#define WITHDRAWABLE 1
#define POSTED       2
#define CONTROL      4

/* Call.state. */
#define QUEUED    0
#define STARTED   1
#define WITHDRAWN 2
#define RAN       4
#define EXITED    6
#define REFUSED   7
#define EXPIRED   8
#define DOZING    16
#define ORPHANED  32
#define BARE(s)   ((s) & 15)

byte head[QUEUES]  = RESTING;
byte ready[QUEUES] = NIL;
bit  firstTaken[QUEUES];
bit  unused[ALL];  /* in the free list; init fills it */
byte state[ALL];
byte kind[ALL];
byte next[ALL];
byte fn[ALL];      /* Call.Fn, and what it captured: the number of a job, 0 for nil */
byte result[ALL];  /* what Fn wrote for its caller, or Fault: the number of the job, too */
byte poster[ALL];
bit  token[ALL];   /* Call.token has room for one; it keeps it when the record changes hands */
#ifdef HOST
byte rest[QUEUES]; /* NIL, or RESTING after RestAlways */
#endif

/* What is to be proved is told by history variables, which no transition reads.
 *
 *   fate    of each job: not decided, has run, will not run
 *   owed    how many goroutines owe the thread a wake-up and have not yet completed it
 */
#define UNDECIDED 0
#define HAS_RUN   1
#define NOT_RUN   2
byte fate[JOBS + 1];
byte owed[QUEUES];

/* The names of the properties, so that an assertion that fails tells its name. All of them are 0 for ever. */
bit exactly_once; /* a job is decided once: it runs, or its caller is told that it will not */
bit true_report;  /* what the caller is told is what happened, and it gets the result of its own function */
bit in_order;     /* jobs of one goroutine run in its order */
bit one_owner;    /* a record is not freed twice, nor given out while in use */
bit lost_wakeup;  /* no thread sleeps while its queue is not resting and nobody owes it a wake-up */
bit all_decided;  /* nothing is left over when everything has come to a halt */

#define LOCALS byte c, h, r, n, l, x, s, j, o; bit wake, ok, yes

#define Decide(job, f) assert(fate[job] == UNDECIDED || exactly_once); fate[job] = f

#ifdef DEADLINES
bit mayExpire[JOBS + 1]; /* the context has a deadline, */
bit expired[JOBS + 1];   /* which has come. It comes when somebody looks: an earlier one would make no difference. */
#endif

/* ---- call.go ---------------------------------------------------------------------------------------------------- */

#define InUse(q) (q == FIRST(OWNER(q)) && firstTaken[OWNER(q)] || q != FIRST(OWNER(q)) && !unused[q])

/* Queue.Put */
inline Put(q) {
	if
	:: atomic { q == FIRST(OWNER(q)) -> assert(firstTaken[OWNER(q)] || one_owner); firstTaken[OWNER(q)] = 0 }
	:: q != FIRST(OWNER(q)) -> PutRecord(q)
	fi
}

/* Queue.Put of a record that is not the first. */
inline PutRecord(q) { atomic { assert(q != FIRST(OWNER(q)) && !unused[q] || one_owner); unused[q] = 1 } }

/* Call.Outcome: 0 while it has none. */
inline Outcome(q) {
	d_step { o = (BARE(state[q]) >= RAN -> BARE(state[q]) : 0) }
}

/* Call.Doze: yes if the caller may sleep. */
inline Doze(q) {
	do
	:: BARE(state[q]) >= RAN -> yes = 0; break
	:: BARE(state[q]) < RAN && (state[q] & DOZING) -> yes = 1; break /* never in cycle/Caller, host/Caller: they use a record once, no token is left over */
	:: d_step { BARE(state[q]) < RAN && !(state[q] & DOZING) -> s = state[q] };
#ifdef FAULT_DOZE_STORE /* Call.Doze: Store instead of CompareAndSwap */
		d_step { state[q] = s | DOZING; s = 0; yes = 1 }; break
#else
		if
		:: d_step { state[q] == s -> state[q] = s | DOZING; s = 0; yes = 1 }; break
		:: d_step { state[q] != s -> s = 0 }
		fi
#endif
	od
}

/* Call.Poke: a send that finds the place taken does nothing. */
inline Poke(q) { token[q] = 1 }

/* Call.Settle. s is 0 before and after. */
inline Settle(q, outcome) {
#ifdef FAULT_SETTLE_LOAD /* Call.Settle: Load and Store instead of Swap */
	s = state[q];
	d_step { fn[q] = 0; state[q] = outcome };
#else
	d_step { assert(InUse(q) || one_owner); fn[q] = 0; s = state[q]; state[q] = outcome };
#endif
	if
#ifdef ORPHANS
	:: s & ORPHANED -> s = 0; Put(q)
	:: !(s & ORPHANED) && (s & DOZING) -> s = 0; Poke(q)
	:: else -> s = 0 /* never in cycle/Function: whom it rescues dozes */
#else
	:: s & DOZING ->
#ifndef FAULT_NO_TOKEN /* Call.Settle: the token is forgotten */
		s = 0; Poke(q)
#endif
	:: else -> s = 0
#endif
	fi
}

#ifdef ORPHANS
/* Call.Orphan */
inline Orphan(q) {
	do
	:: BARE(state[q]) >= RAN -> Put(q); break
	:: d_step { BARE(state[q]) < RAN -> s = state[q] };
		if
		:: d_step { state[q] == s -> state[q] = s | ORPHANED; s = 0 }; break
		:: d_step { state[q] != s -> s = 0 }
		fi
	od
}
#endif

#ifdef DEADLINES
/* Call.Start: yes if the function is to be run. */
inline Start(q) {
	if /* Ctx.Err */
	:: d_step { mayExpire[fn[q]] -> expired[fn[q]] = 1; o = EXPIRED }
	:: d_step { !expired[fn[q]] -> o = 0 }
	fi;
	do
	:: state[q] == WITHDRAWN -> d_step { fn[q] = 0; yes = 0; o = 0 }; Put(q); break
	:: d_step { state[q] != WITHDRAWN -> s = state[q] };
		if
#ifdef FAULT_START_STORE /* Call.Start: Store instead of CompareAndSwap */
		:: d_step { state[q] = s | STARTED; s = 0; yes = (o == 0) };
#else
		:: d_step { state[q] == s -> state[q] = s | STARTED; s = 0; yes = (o == 0) };
#endif
			if
			:: o == EXPIRED -> d_step { o = 0; Decide(fn[q], NOT_RUN) }; Settle(q, EXPIRED)
			:: else
			fi;
			break
#ifndef FAULT_START_STORE
		:: d_step { state[q] != s -> s = 0 }
#endif
		fi
	od
}

/* Call.Withdraw: yes if the call will not run; the record is the thread's then. */
inline Withdraw(q) {
	do
	:: BARE(state[q]) != QUEUED -> yes = 0; break
	:: d_step { BARE(state[q]) == QUEUED -> s = state[q] };
		if
		:: d_step { state[q] == s -> state[q] = WITHDRAWN; s = 0; yes = 1; Decide(fn[q], NOT_RUN) }; break
		:: d_step { state[q] != s -> s = 0 }
		fi
	od
}
#endif

/* ---- queue.go --------------------------------------------------------------------------------------------------- */

#define Claim(record, k, job, g) c = record AND state[c] = QUEUED; kind[c] = k; fn[c] = job; poster[c] = g

/* reverse: h is the stack, becomes 0; list is a variable for the result. */
inline Reverse(list) {
	MERGE {
		list = NIL;
		do
		:: h != NIL ->
			n = next[h];
			d_step { next[h] = list; list = h; h = n; n = 0 }
		:: else -> break
		od
	}
}

/* Queue.Get: c is a record. */
inline Get(e, k, job, g) {
	if
	:: atomic { !firstTaken[e] -> firstTaken[e] = 1; Claim(FIRST(e), k, job, g) }
	:: firstTaken[e] -> Record(e, k, job, g)
	fi
}

/* Queue.record, and Queue.Get for a kind that nobody waits for. There are enough records, so none is made; which one
 * the free list gives out is left open, a fresh one or one just used. */
inline Record(e, k, job, g) {
	if
	:: atomic { unused[FIRST(e) + 1] -> unused[FIRST(e) + 1] = 0; Claim(FIRST(e) + 1, k, job, g) }
#if RECORDS > 2
	:: atomic { unused[FIRST(e) + 2] -> unused[FIRST(e) + 2] = 0; Claim(FIRST(e) + 2, k, job, g) }
#endif
#if RECORDS > 3
	:: atomic { unused[FIRST(e) + 3] -> unused[FIRST(e) + 3] = 0; Claim(FIRST(e) + 3, k, job, g) }
#endif
#if RECORDS > 4
#error the free list has three records
#endif
	fi
}

/* Queue.Push: ok unless the queue is closed, wake if the caller owes a wake-up. */
inline Push(e) {
	do
	:: head[e] == NIL ->
		if
		:: d_step { head[e] == NIL -> head[e] = c; wake = 0; ok = 1 }; break
		:: head[e] != NIL
		fi
	:: head[e] == RESTING ->
		if
		:: d_step { head[e] == RESTING -> head[e] = c; owed[e]++; wake = 1; ok = 1 }; break
		:: head[e] != RESTING
		fi
	:: head[e] == CLOSED -> d_step { wake = 0; ok = 0 }; break /* never in cycle/Caller: where there are callers nobody closes */
	:: atomic { ISCALL(head[e]) -> h = head[e] AND next[c] = h };
		if
		:: d_step { head[e] == h -> head[e] = c; h = 0; wake = 0; ok = 1 }; break
		:: atomic { head[e] != h -> h = 0 AND next[c] = NIL }
		fi
	od
}

/* Queue.Take: c is the oldest call, or NIL. */
inline Take(e) {
	if
	:: ready[e] != NIL -> TakeReady(e)
	:: ready[e] == NIL ->
		Grab(e, c);
		if
		:: c == NIL
		:: atomic { c != NIL && next[c] == NIL }
		:: atomic { c != NIL && next[c] != NIL AND l = next[c] AND next[c] = NIL }; /* Pop */
			Restore(e)
		fi
	fi
}

#ifdef HOST
/* Queue.Gather */
inline Gather(e) {
	if
	:: ready[e] == CLOSED
	:: d_step { ready[e] != CLOSED -> r = ready[e] };
		if
		:: d_step { ready[e] == r -> ready[e] = NIL };
			Grab(e, l);
			MERGE { /* join */
				if
				:: r == NIL
				:: else ->
					n = r;
					do
					:: next[n] != NIL -> n = next[n]
					:: else -> break
					od;
					next[n] = l; l = r; r = NIL; n = NIL
				fi
			};
			if
			:: l != NIL -> Restore(e)
			:: else
			fi
		:: d_step { ready[e] != r -> r = 0 }
		fi
	fi
}
#endif

/* Queue.TakeReady */
inline TakeReady(e) {
	do
	:: ready[e] == NIL || ready[e] == CLOSED -> c = NIL; break
	:: d_step { ISCALL(ready[e]) -> r = ready[e] };
		n = next[r];
		if
		:: atomic { ready[e] == r -> ready[e] = n; n = 0 AND next[r] = NIL; c = r; r = 0 }; break
		:: d_step { ready[e] != r -> r = 0; n = 0 }
		fi
	od
}

/* Queue.grab: list is what was in head, the oldest first. */
inline Grab(e, list) {
	do
	:: head[e] == RESTING || head[e] == CLOSED -> list = NIL; break
#ifdef HOST
	:: head[e] == NIL && rest[e] == NIL -> list = NIL; break
	:: head[e] == NIL && rest[e] != NIL ->
		if
		:: d_step { head[e] == NIL -> head[e] = RESTING }; list = NIL; break
		:: head[e] != NIL
		fi
#else
	:: head[e] == NIL -> list = NIL; break
#endif
	:: d_step { ISCALL(head[e]) -> h = head[e] };
		if
#ifdef HOST
		:: d_step { head[e] == h -> head[e] = rest[e] }; Reverse(list); break
#else
		:: d_step { head[e] == h -> head[e] = NIL }; Reverse(list); break
#endif
		:: d_step { head[e] != h -> h = 0 }
		fi
	od
}

/* Queue.restore(l) */
inline Restore(e) {
#ifdef FAULT_RESTORE_STORE /* Queue.restore: Store instead of CompareAndSwap */
	d_step { ready[e] = l; l = 0 }
#else
	if
	:: d_step { ready[e] == NIL -> ready[e] = l; l = 0 }
	:: ready[e] != NIL -> Refuse()
	fi
#endif
}

#ifdef CYCLES
/* Queue.TakeFrom: p is the list of the calls that g has queued, up to and including last. */
inline TakeFrom(e, g, last) {
	if
	:: ready[e] == CLOSED -> p = NIL
	:: d_step { ready[e] != CLOSED -> r = ready[e] };
		if
		:: d_step { ready[e] == r -> ready[e] = NIL };
			Grab(e, l);
			Split(g, last);
			if
			:: l != NIL -> Restore(e)
			:: else
			fi
		:: d_step { ready[e] != r -> r = 0; p = NIL }
		fi
	fi
}

/* join and Queue.split: of r and then l, p is picked, and l is left. */
inline Split(g, last) {
	MERGE {
		if
		:: r == NIL -> r = l
		:: else ->
			n = r;
			do
			:: next[n] != NIL -> n = next[n]
			:: else -> break
			od;
			next[n] = l
		fi;
		l = NIL; p = NIL; yes = 0;
		do
		:: r != NIL ->
			x = r; r = next[x]; next[x] = NIL;
			if
			:: poster[x] == g && !yes ->
				yes = (x == last);
				if
				:: p == NIL -> p = x
				:: else -> next[s] = x
				fi;
				s = x
			:: else ->
				if
				:: l == NIL -> l = x
				:: else -> next[n] = x /* never in cycle/Function: it leaves one call of others at the most */
				fi;
				n = x
			fi
		:: else -> break
		od;
		n = 0; s = 0; x = 0; yes = 0
	}
}

/* Queue.Return(p) */
inline Return(e) {
	if
	:: p == NIL
	:: else ->
		l = p; p = NIL;
		if
		:: ready[e] == CLOSED -> Refuse()
		:: d_step { ready[e] != CLOSED -> r = ready[e] };
			if
			:: d_step { ready[e] == r -> ready[e] = NIL };
				MERGE { /* join */
					n = l;
					do
					:: next[n] != NIL -> n = next[n]
					:: else -> break
					od;
					next[n] = r; r = NIL; n = NIL
				};
				Restore(e)
			:: ready[e] != r -> r = 0; Refuse()
			fi
		fi
	fi
}
#endif

/* refuse(l) */
inline Refuse() {
	do
	:: l != NIL ->
		n = next[l]; /* Pop */
		d_step { next[l] = NIL; x = l; l = n; n = 0 };
		if
#ifdef DEADLINES
		:: kind[x] == WITHDRAWABLE ->
			Start(x);
			if
			:: yes -> d_step { yes = 0; Decide(fn[x], NOT_RUN) }; Settle(x, REFUSED)
			:: else
			fi
#endif
		:: atomic { kind[x] == AWAITED -> Decide(fn[x], NOT_RUN) }; Settle(x, REFUSED)
		:: atomic { kind[x] >= POSTED -> Decide(fn[x], NOT_RUN); fn[x] = 0 }; PutRecord(x)
		fi;
		x = 0
	:: else -> break
	od
}

/* Queue.Rest: ok if the thread now counts as resting. */
inline Rest(e) {
	if
	:: ready[e] != NIL -> ok = 0
	:: ready[e] == NIL ->
#ifdef FAULT_REST_STORE /* Queue.Rest: looks whether head is nil, then stores resting */
		if
		:: head[e] == NIL -> d_step { head[e] = RESTING; ok = 1 }
		:: head[e] != NIL -> d_step { ok = (head[e] == RESTING) }
		fi
#else
		if
		:: d_step { head[e] == NIL -> head[e] = RESTING; ok = 1 }
		:: head[e] != NIL -> d_step { ok = (head[e] == RESTING) }
		fi
#endif
	fi
}

/* Queue.Rise */
inline Rise(e) {
	if
	:: d_step { head[e] == RESTING -> head[e] = NIL }
	:: head[e] != RESTING
	fi
}

/* Queue.Close: wake if the caller owes a wake-up. */
inline Close(e) {
	d_step { h = head[e]; head[e] = CLOSED; wake = (h == RESTING); owed[e] = owed[e] + wake };
	if
	:: h == CLOSED -> h = 0
	:: else ->
		d_step { l = ready[e]; ready[e] = CLOSED };
		if
		:: l == CLOSED -> l = 0
		:: else -> Refuse()
		fi;
		if
		:: ISCALL(h) -> Reverse(l); Refuse()
		:: else -> h = 0
		fi
	fi
}

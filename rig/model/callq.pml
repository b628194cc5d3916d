/* Package internal/callq: the queue and the record of a call. Included by every model.
 *
 * Every Go atomic operation is one step here. Load, and what is decided by it, is the guard of an
 * if; a compare-and-swap is an if with two guards, "is as expected" in a d_step with its write,
 * and "is not". Plain fields that only the owner of a record may touch are read and written in the
 * same step as the atomic operation next to them. AND stands before an atomic operation on a
 * record that no other process can reach at that moment. It is a step of its own if FINE is
 * defined, and otherwise joined to the one before, which saves states and hides nothing.
 *
 * Inlines are named as the Go functions. They use the variables of LOCALS, which each process
 * declares.
 */

#define When(cond, step) if :: cond -> step :: else fi
#define Either(cond, step, other) if :: cond -> step :: else -> other fi
#define Unless(cond, step) if :: cond :: else -> step fi
#define While(cond, step) do :: cond -> step :: else -> break od

/* CompareAndSwap. new is followed by what goes with it. Replace is in a loop, which it ends if it
 * succeeds; ReplaceState likewise, if the state is s. */
#define Swap(word, old, new) if :: d_step { word == old -> word = new } :: word != old fi
#define Replace(word, old, new) \
	if :: d_step { word == old -> word = new }; break :: word != old fi
#define ReplaceState(q, new) \
	if :: d_step { state[q] == s -> state[q] = new; s = 0; yes = 1 }; break \
	:: d_step { state[q] != s -> s = 0 } fi

#ifdef FINE
#define AND }; atomic {
#define MERGE
#else
#define AND ;
#define MERGE atomic
#endif

#define NIL     0
#define PLACE   29 /* see cycle.pml */
#define RESTING 30
#define CLOSED  31
#define ISCALL(x) ((x) != NIL && (x) < PLACE)

/* Records. Queue e has RECORDS of them, from FIRST(e), which is Queue.first; the others are for
 * its free list. */
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
#define PLACED       3
#define CONTROL      4

/* Call.state. */
#define QUEUED        0
#define STARTED       1
#define WITHDRAWN     2
#define RAN           4
#define EXITED        6
#define REFUSED       7
#define EXPIRED       8
#define PARKED        16
#define UNWANTED      32
#define CALLER_LET_GO 64
#define THREAD_LET_GO 128
#define BARE(s)       ((s) & 207) /* without marks */
#define SETTLED(s)    (BARE(s) >= RAN && BARE(s) < CALLER_LET_GO)

byte head[QUEUES]  = RESTING;
byte ready[QUEUES] = NIL;
bit  firstTaken[QUEUES];
bit  unused[ALL];  /* in the free list; init fills it */
byte state[ALL];
byte kind[ALL];
byte next[ALL];
byte fn[ALL];      /* Call.Fn, Call.Ctx, and what they captured: the number of a job, 0 for nil */
byte result[ALL];  /* what Fn wrote for its caller, or Fault: the number of the job, too */
byte poster[ALL];
bit  token[ALL];   /* Call.token has room for one; it keeps it when the record changes hands */
byte rest[QUEUES];             /* NIL, or RESTING after RestAlways */
bit is_marked[ALL];               /* Call.marked */
byte marked, passed;           /* Queue.marked and passed, of a host's queue */
/* history of a host: since the thread has taken anything, a call was pushed and owed a wake-up */
bit announced;
/* property: then no other owes one, unless OnWake was called */
bit at_most_once;
#ifdef HOST
#define Announce() assert(!announced || at_most_once); announced = 1;
#else
#define Announce()
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

/* Properties, as README.md lists them, so that an assertion that fails tells its name. All of them
 * are 0 for ever. */
bit exactly_once, true_report, in_order, one_owner, lost_wakeup, all_decided, on_thread;

/* At first, and in the end, all records are free. */
#define FreeAll() for (i : 1 .. QUEUES*RECORDS) { unused[i] = ((i - 1)%RECORDS != 0) }
#define CheckFree() for (i : 0 .. QUEUES - 1) { assert(!firstTaken[i] || one_owner) }; \
	for (i : 1 .. QUEUES*RECORDS) { assert(unused[i] == ((i - 1)%RECORDS != 0) || one_owner) }

/* at: the thread that the process is on, plus one; zero if it is on none. It is never written
 * afterwards. */
#define LOCALS byte c, h, r, n, l, x, s, j, o, at; bit wake, ok, yes, ctx, posts

#define Only(e) assert(at == (e) + 1 || on_thread)

/* After a compare-and-swap of ready has failed. */
#define OnlyClose(e) assert(ready[e] == CLOSED || on_thread)

#define Decide(job, f) assert(fate[job] == UNDECIDED || exactly_once); fate[job] = f

bit mayExpire[JOBS + 1]; /* the context has a deadline, */
/* which has come. It comes when a process looks: an earlier one would make no difference. */
bit expired[JOBS + 1];

/* ---- call.go ---- */

#define InUse(q) (q == FIRST(OWNER(q)) && firstTaken[OWNER(q)] || \
	q != FIRST(OWNER(q)) && !unused[q])

/* Queue.Put */
inline Put(q) {
	if
	:: atomic { q == FIRST(OWNER(q)) ->
			assert(firstTaken[OWNER(q)] || one_owner); firstTaken[OWNER(q)] = 0 }
	:: q != FIRST(OWNER(q)) -> PutRecord(q)
	fi
}

/* Queue.Put of a record that is not the first. */
inline PutRecord(q) {
	atomic { assert(q != FIRST(OWNER(q)) && !unused[q] || one_owner); unused[q] = 1 }
}

/* Call.Outcome: 0 while it has none. */
inline Outcome(q) {
	d_step { o = (SETTLED(state[q]) -> BARE(state[q]) : 0) }
}

/* Call.Park: yes if the caller may wait for the token. */
inline Park(q) {
	do
	:: SETTLED(state[q]) -> yes = 0; break
	:: !SETTLED(state[q]) && (state[q] & PARKED) -> yes = 1; break
	:: d_step { !SETTLED(state[q]) && !(state[q] & PARKED) -> s = state[q] };
		ReplaceState(q, s | PARKED)
	od
}

/* Call.Notify: a send that finds the place taken does nothing. */
inline Notify(q) { token[q] = 1 }

/* Call.Settle. s is 0 before and after. */
inline Settle(q, outcome) {
	d_step {
		assert(InUse(q) && kind[q] <= WITHDRAWABLE || one_owner);
		fn[q] = 0; s = state[q]; state[q] = outcome
	};
	Either(s & PARKED, s = 0; Notify(q), s = 0)
}

/* Call.letGo */
inline LetGo(q, my) {
	d_step {
		assert(InUse(q) && !(state[q] & my) && BARE(state[q] & 15) == WITHDRAWN || one_owner);
		s = state[q] & ~WITHDRAWN; state[q] = state[q] | my
	};
	if
/* Call.claim: the thread frees a withdrawn record, whether its caller has let go of it or not */
	:: s != 0 -> s = 0; Put(q)
	:: else
	fi
}

/* Call.Start: yes if the function is to be run. A context whose deadline does not come is one that
 * the thread must not look at, as well. */
inline Start(q) {
	ClaimCall(q);
	When(yes, /* Ctx.Err */
		if
		:: d_step { mayExpire[fn[q]] -> expired[fn[q]] = 1; yes = 0; Decide(fn[q], NOT_RUN) };
			Settle(q, EXPIRED)
		:: !expired[fn[q]]
		fi)
}

/* Call.claim: yes unless the call was withdrawn. */
inline ClaimCall(q) {
	do
	:: (state[q] & 15) == WITHDRAWN -> yes = 0; LetGo(q, THREAD_LET_GO); break
	:: d_step { (state[q] & 15) != WITHDRAWN -> s = state[q] };
		ReplaceState(q, s | STARTED)
	od
}

/* Call.Withdraw: yes if the call will not run; the record is not the caller's then. */
inline Withdraw(q) {
	do
	:: (BARE(state[q])) != QUEUED -> yes = 0; break
	:: d_step { BARE(state[q]) == QUEUED -> s = state[q] };
		if
		:: d_step { state[q] == s -> state[q] = WITHDRAWN; s = 0; yes = 1; Decide(fn[q], NOT_RUN) };
			d_step { assert(InUse(q) && (state[q] & 15) == WITHDRAWN || one_owner); fn[q] = 0 };
			LetGo(q, CALLER_LET_GO);
			break
		:: d_step { state[q] != s -> s = 0 }
		fi
	od
}

/* Call.Abandon: yes if the record is not the caller's any more. */
inline Abandon(q) {
	if
	:: kind[q] == WITHDRAWABLE -> Withdraw(q)
	:: d_step { kind[q] == AWAITED -> state[q] = state[q] | UNWANTED; yes = 0 }
	fi
}

/* ---- queue.go ---- */

#define Claim(record, k, job, g) c = record AND state[c] = QUEUED; kind[c] = k; fn[c] = job; \
	poster[c] = g

/* reverse: h is the stack, becomes 0; list is a variable for the result. */
inline Reverse(list) {
	MERGE {
		list = NIL;
		While(h != NIL,
			n = next[h];
			d_step { next[h] = list; list = h; h = n; n = 0 })
	}
}

/* Queue.Get: c is a record. */
inline Get(e, k, job, g) {
	if
	:: atomic { !firstTaken[e] -> firstTaken[e] = 1; Claim(FIRST(e), k, job, g) }
	:: firstTaken[e] -> Record(e, k, job, g)
	fi
}

/* Queue.record, and Queue.Get for a kind that nothing waits for. There are enough records, so none
 * is made: if there are not, the process stands still. The first unused one is given out; with
 * REUSE that is left open. */
#ifdef REUSE
#define PASS(n) true
#else
#define PASS(n) !unused[n]
#endif
inline Record(e, k, job, g) {
	atomic {
		n = FIRST(e) + 1;
		do
		:: unused[n] -> break
		:: PASS(n) && n < FIRST(e) + RECORDS - 1 -> n++
		od;
		unused[n] = 0; Claim(n, k, job, g); n = 0
	}
}

/* Queue.Push: ok unless the queue is closed, wake if the caller owes a wake-up. A thread posts to
 * itself, and waits for no call of its own. */
inline Push(e) {
	assert(at != (e) + 1 || kind[c] >= POSTED || on_thread);
	do
	:: head[e] == NIL -> Replace(head[e], NIL, c; wake = 0; ok = 1)
	:: head[e] == RESTING -> Replace(head[e], RESTING, c; owed[e]++; Announce() wake = 1; ok = 1)
	:: head[e] == CLOSED -> d_step { wake = 0; ok = 0 }; break
	:: atomic { ISCALL(head[e]) -> h = head[e] AND next[c] = h };
		if
		:: d_step { head[e] == h -> head[e] = c; h = 0; wake = 0; ok = 1 }; break
		:: atomic { head[e] != h -> h = 0 AND next[c] = NIL }
		fi
	od
}

/* Queue.Take: c is the oldest call, or NIL. */
inline Take(e) {
	Either(ready[e] != NIL, TakeUntil(e, 255), c = NIL);
	Unless(c != NIL,
		Grab(e, c);
		if
		:: c == NIL
		:: atomic { c != NIL && next[c] == NIL }
		:: atomic { c != NIL && next[c] != NIL AND l = next[c] AND next[c] = NIL }; /* pop */
			Restore(e)
		fi)
}

/* Queue.all: r is the list, the oldest first; ok unless the queue is closed. */
inline All(e) {
	if
	:: d_step { ready[e] == CLOSED -> r = NIL; ok = 0 }
	:: d_step { ready[e] != CLOSED -> r = ready[e]; Only(e) };
		if
		:: d_step { ready[e] == r -> ready[e] = NIL; ok = 1 };
			Grab(e, l);
			MERGE {
				if
				:: r == NIL -> r = l
				:: r != NIL && l == NIL
				:: else -> Join(r, l)
				fi;
				l = NIL
			}
		:: d_step { ready[e] != r -> OnlyClose(e); r = NIL; ok = 0 }
		fi
	fi
}

/* The list behind is appended to list, which is not empty. Go knows the end of it; it is found by
 * walking here. */
inline Join(list, behind) {
	n = list;
	While(next[n] != NIL, n = next[n]);
	next[n] = behind; n = NIL
}

/* Queue.Mark: j is the mark, 0 if nothing is queued. */
inline Mark(e) {
	j = 0;
	All(e);
	Unless(r == NIL,
		MERGE {
			n = r;
			While(next[n] != NIL, n = next[n]);
			When(!is_marked[n], is_marked[n] = 1; marked++);
			j = marked; l = r; r = NIL; n = NIL
		};
		Restore(e));
	ok = 0
}

/* Queue.TakeUntil: c is the oldest call before m, or NIL. */
inline TakeUntil(e, m) {
	c = NIL;
	do
	:: passed >= m || ready[e] == NIL || ready[e] == CLOSED -> break
	:: d_step { passed < m && ISCALL(ready[e]) -> r = ready[e]; Only(e) };
		n = next[r];
		if
		:: atomic { ready[e] == r -> ready[e] = n; n = 0 AND next[r] = NIL };
			d_step { passed = passed + is_marked[r]; is_marked[r] = 0; c = r; r = 0 }; break
		:: d_step { ready[e] != r -> OnlyClose(e); r = 0; n = 0 }; break
		fi
	od
}

/* Queue.grab: list is what was in head, the oldest first. */
inline Grab(e, list) {
	list = NIL;
	do
	:: head[e] == RESTING || head[e] == CLOSED -> break
	:: head[e] == NIL && rest[e] == NIL -> break
	:: head[e] == NIL && rest[e] != NIL -> Replace(head[e], NIL, RESTING; Only(e))
	:: d_step { ISCALL(head[e]) -> h = head[e]; Only(e) };
		if
		:: d_step { head[e] == h -> head[e] = rest[e]; announced = (announced && rest[e] == NIL) };
			Reverse(list); break
		:: d_step { head[e] != h -> h = 0 }
		fi
	od
}

/* Queue.restore(l) */
inline Restore(e) {
	if
	:: d_step { ready[e] == NIL -> ready[e] = l; l = 0; Only(e) }
	:: ready[e] != NIL -> atomic { OnlyClose(e) }; Refuse()
	fi
}

/* In place of Oldest and TakeOutOfTurn: p is the list of the calls that g has queued, up to and including last. */
inline TakeFrom(e, g, last) {
	p = NIL;
	All(e);
	Unless(r == NIL,
		Split(g, last);
		When(l != NIL, Restore(e)));
	ok = 0
}

/* Of r, p is picked, and l is left. */
inline Split(g, last) {
	MERGE {
		l = NIL; yes = 0;
		While(r != NIL,
			x = r; r = next[x]; next[x] = NIL;
			if
			:: poster[x] == g && !yes ->
				yes = (x == last);
				Either(p == NIL, p = x, next[s] = x);
				s = x
			:: else ->
				Either(l == NIL, l = x, next[n] = x);
				n = x
			fi);
		n = 0; s = 0; x = 0; yes = 0
	}
}

/* What is left of p stays in the queue: here it is put back. */
inline Return(e) {
	Unless(p == NIL,
		All(e);
		if
		:: !ok -> l = p; p = NIL; Refuse()
		:: else ->
			MERGE {
				ok = 0;
				When(r != NIL, Join(p, r));
				l = p; p = NIL; r = NIL
			};
			Restore(e)
		fi)
}

/* refuse(l) */
inline Refuse() {
	do
	:: l != NIL ->
		n = next[l]; /* pop */
		d_step { next[l] = NIL; x = l; l = n; n = 0 };
		if
		:: kind[x] == WITHDRAWABLE ->
			ClaimCall(x);
			When(yes, d_step { yes = 0; Decide(fn[x], NOT_RUN) }; Settle(x, REFUSED))
		:: atomic { kind[x] == AWAITED -> Decide(fn[x], NOT_RUN) }; Settle(x, REFUSED)
		:: atomic { kind[x] >= POSTED ->
			When(fn[x] != 0, Decide(fn[x], NOT_RUN));
			fn[x] = 0
		}; Put(x) /* Engine.come gives the first record to Control */
		fi;
		x = 0
	:: else -> break
	od
}

/* Queue.Rest: ok if the thread now counts as resting. */
inline Rest(e) {
	Either(ready[e] != NIL,
		ok = 0,
		if
		:: d_step { head[e] == NIL -> head[e] = RESTING; ok = 1 }
		:: head[e] != NIL -> d_step { ok = (head[e] == RESTING) }
		fi)
}

/* Queue.Awake */
inline Awake(e) { Swap(head[e], RESTING, NIL; Only(e)) }

/* Queue.Close: wake if the caller owes a wake-up. */
inline Close(e) {
	d_step {
		h = head[e]; head[e] = CLOSED;
		wake = (h == RESTING); owed[e] = owed[e] + wake
	};
	Either(h == CLOSED,
		h = 0,
		d_step { l = ready[e]; ready[e] = CLOSED };
		Either(l == CLOSED, l = 0, Refuse());
		Either(ISCALL(h), Reverse(l); Refuse(), h = 0))
}

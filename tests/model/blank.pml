/* blank.pml - blanks: decisions that are numbered first and filled in later, with one campaign, several
 * servers and one database (engine.md, "Blanks").
 *
 * Every database transaction is one atomic step. Between two transactions everything may happen, so a
 * pause of any length is every schedule in which a process does not move for a while. No clock is
 * trusted: blanks are handed out, blocks are sealed, and owners are replaced at any time.
 *
 *   owner(s)   server s as owner: takes over, numbers, seals, reads the log, ends blocks
 *   holder(b)  the server that block b was numbered for: hands out, and then records what it showed
 *   client(n)  sends feedback for decision n through any server: append, then look
 *
 * Faults at any moment: the crash of a server, a lost reply of any COMMIT (applied or not), a takeover
 * although the owner is alive. FAULTS bounds them.
 *
 * What must hold:
 *   1  acknowledged feedback is counted
 *   2  a round is entered only if its holder has recorded it: feedback never makes a round count
 *   3  a number is handed out at most once, and ends once
 *   4  everything ends
 *   5  with a cap (CAP below N, all blanks are of one user): the rounds that are entered are the first CAP
 *      of those that count as recorded, in the order of numbers. So no more than CAP are entered, and a
 *      round is refused only if CAP others were entered. Feedback decides nothing about this.
 *
 * Broken variants, each of which must be found:
 *   NOLOOK   feedback is acknowledged without a look
 *   NOREAD   the owner reads the log before it seals
 *   NOFENCE  the owner's commit does not compare epochs
 *   FIRST    feedback is accepted before the holder's record is in the log
 *   RESTORE  the record is made from the feedback
 *   MEMORY   an owner that is the holder, too, enters what it remembers, not what is in the log
 * and with CAP=1:
 *   DISPLAY  the cap is compared when a blank is handed out, and not when it is entered
 *   TWICE    the charge is a commit of its own, before the commit that enters the block
 *   AFTER    the charge is a commit of its own, after the commit that enters the block
 *   ANSWERED only a round with feedback is charged
 */
#ifndef NS
#define NS 2     /* servers */
#endif
#ifndef NB
#define NB 1     /* blocks */
#endif
#ifndef PB
#define PB 2     /* blanks in a block */
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#define N (NB * PB)
#ifndef CAP
#define CAP N    /* of the one user: N means that no round is refused */
#endif
#define NONE 15

/* the database */
byte owner, epoch, sealed, final, drawn;
bit recorded[N]; /* what was shown is in the log */
bit answered[N]; /* feedback is in the log */
byte spent;      /* the user's rounds, as the table of users has them */

/* what really happened; only assertions read it */
bit handed[N], entered[N], voided[N], refused[N], counted[N], acked[N];
byte total;      /* how many rounds were entered */
bit honest[N];   /* the holder itself has recorded it */
byte faults;
byte ep[NS];     /* the epoch of each server as owner, in its memory; 0: it is not the owner */

#define FAULT (faults < FAULTS)
#ifdef NOFENCE
#define FENCED (true)
#else
#define FENCED (epoch == ep[s])
#endif

proctype owner_of(byte s)
{
    byte lfinal, lsealed, ldrawn;
    bit fresh;              /* the log was read after the last seal */
    bit rec[N], ans[N];     /* the log as it was read */
    byte i, n;
    byte add;               /* what the commit adds to `spent` */
#if defined(TWICE) || defined(AFTER)
    byte owed;              /* the charge that has a commit of its own */
    bit has_charged;
#define NOT_OWED d_step { owed = 0; has_charged = 0 }
#else
#define NOT_OWED skip
#endif
#ifdef TWICE
#define MAY_END (has_charged)
#else
#ifdef AFTER
#define MAY_END (owed == 0)
#else
#define MAY_END (true)
#endif
#endif
#define FORGET d_step { ep[s] = 0; lfinal = 0; lsealed = 0; ldrawn = 0; fresh = 0; i = 0; \
    do :: i < N -> rec[i] = 0; ans[i] = 0; i++ :: else -> break od; i = 0; n = 0; add = 0 }; NOT_OWED
/* Whether round n counts for its user. A recorded round that does not is void. */
#ifdef DISPLAY
#define MAY_ENTER (true)
#else
#ifdef ANSWERED
#define MAY_ENTER (!ans[n] || spent + add < CAP)
#else
#ifdef TWICE
#define MAY_ENTER (i < owed)
#else
#define MAY_ENTER (spent + add < CAP)
#endif
#endif
#endif
#ifdef ANSWERED
#define CHARGE add = add + ans[n]
#else
#define CHARGE add++
#endif
#define READ d_step { fresh = 1; i = 0; \
    do :: i < N -> rec[i] = recorded[i]; ans[i] = answered[i]; i++ :: else -> break od; i = 0 }
end_owner:
    do
    :: atomic { ep[s] == 0 && final < NB && (owner == NONE || ep[owner] == 0 || FAULT) ->
        if :: owner != NONE && ep[owner] != 0 -> faults++ :: else fi;
        epoch++; owner = s;
        if
        :: ep[s] = epoch; lfinal = final; lsealed = sealed; ldrawn = drawn
        :: FAULT -> faults++
        fi }
    :: atomic { ep[s] != 0 && ldrawn < NB ->
        if
        :: FENCED ->
            if
            :: ldrawn++; drawn = ldrawn; if :: FAULT -> faults++; FORGET :: skip fi
            :: FAULT -> faults++; FORGET
            fi
        :: else -> FORGET
        fi }
    :: atomic { ep[s] != 0 && lsealed < ldrawn ->
        if
        :: FENCED ->
            if
            :: lsealed++; sealed = lsealed;
#ifndef NOREAD
               fresh = 0;
#endif
               if :: FAULT -> faults++; FORGET :: skip fi
            :: FAULT -> faults++; FORGET
            fi
        :: else -> FORGET
        fi }
#ifdef NOREAD
    :: atomic { ep[s] != 0 && !fresh -> READ }
#else
    :: atomic { ep[s] != 0 && !fresh && lfinal < lsealed -> READ }
#endif
#ifdef TWICE
    :: atomic { ep[s] != 0 && fresh && lfinal < lsealed && !has_charged ->
        i = 0; owed = 0;
        do
        :: i < PB -> if :: rec[lfinal * PB + i] && spent < CAP -> spent++; owed = i + 1 :: else fi; i++
        :: else -> break
        od;
        i = 0; has_charged = 1 }
#endif
#ifdef AFTER
    :: atomic { ep[s] != 0 && owed > 0 -> spent = spent + owed; owed = 0 }
#endif
    :: atomic { ep[s] != 0 && fresh && lfinal < lsealed && MAY_END ->
        if
        :: FENCED ->
            if
            :: assert(final == lfinal);
               i = 0; add = 0;
               do
               :: i < PB ->
                  n = lfinal * PB + i;
                  assert(!entered[n] && !voided[n] && !refused[n]);
                  if
#ifdef MEMORY
                  :: (rec[n] || handed[n]) && MAY_ENTER ->
#else
                  :: rec[n] && MAY_ENTER ->
#endif
                      entered[n] = 1; counted[n] = ans[n]; total++; CHARGE;
                      assert(total <= CAP);
                      assert(handed[n] && honest[n]);
                      assert(!acked[n] || counted[n])
                  :: rec[n] && !(MAY_ENTER) ->
                      refused[n] = 1;
                      assert(total == CAP)
                  :: else ->
                      voided[n] = 1;
                      assert(!acked[n])
                  fi;
                  i++
               :: else -> break
               od;
               i = 0; n = 0;
#ifdef AFTER
               owed = add;
#else
#ifndef TWICE
               spent = spent + add;
#else
               owed = 0; has_charged = 0;
#endif
#endif
               add = 0;
               final = lfinal + 1; lfinal++;
               if :: FAULT -> faults++; FORGET :: skip fi
            :: FAULT -> faults++; FORGET
            fi
        :: else -> FORGET
        fi }
    :: atomic { ep[s] != 0 && FAULT -> faults++; FORGET }
    od
}

/* Hands blanks out, and records each later, in any order and in groups of any size. Whether a commit
 * was applied may be unknown; then the record is written again. */
proctype holder(byte b)
{
    byte hd;
    byte at;
end_away:
    drawn > b;
    do
#ifdef DISPLAY
    :: atomic { hd < PB && spent < CAP -> assert(!handed[b * PB + hd]); handed[b * PB + hd] = 1; hd++ }
#else
    :: atomic { hd < PB -> assert(!handed[b * PB + hd]); handed[b * PB + hd] = 1; hd++ }
#endif
    :: atomic { at < hd && b >= sealed -> recorded[b * PB + at] = 1; honest[b * PB + at] = 1;
        if :: at++ :: FAULT -> faults++ fi }       /* the reply is lost: again */
    :: atomic { at < hd && b < sealed -> at++ }    /* too late: it will be void */
    :: break                                       /* it has ended, or has crashed */
    od
}

/* Feedback may come through the holder, which records and appends in one transaction, or through
 * another server, which must find the record in the log. */
proctype client(byte n)
{
    byte tries;
end_unshown:
    handed[n];
    do
    :: tries < 2 ->
        tries++;
        if
#ifdef FIRST
        :: n / PB >= sealed; answered[n] = 1;
#else
#ifdef RESTORE
        :: n / PB >= sealed; atomic { recorded[n] = 1; answered[n] = 1 };
#else
        :: n / PB >= sealed && recorded[n]; answered[n] = 1;
#endif
#endif
#ifdef NOLOOK
           atomic { acked[n] = 1; assert(!voided[n] && (!entered[n] || counted[n])) }
#else
           if
           :: atomic { n / PB >= sealed -> acked[n] = 1;
               assert(!voided[n] && (!entered[n] || counted[n])) }
           :: n / PB < sealed
           :: skip
           fi
#endif
        :: n / PB < sealed                         /* late */
        :: skip                                    /* not recorded, or not sent: 503 */
        fi
    :: break
    od
}

init {
    byte i;
    atomic {
        owner = NONE;
        i = 0; do :: i < NS -> run owner_of(i); i++ :: else -> break od;
        i = 0; do :: i < NB -> run holder(i); i++ :: else -> break od;
        i = 0; do :: i < N -> run client(i); i++ :: else -> break od;
    }
    timeout -> assert(drawn == NB && final == NB)
}

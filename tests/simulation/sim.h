/* sim.h - one simulated world: servers, their clocks, one database, and the faults that happen.
 *
 * Everything runs in one thread. Each engine runs in a fiber. Every call of the store stops the
 * fiber before and after its effect, and the scheduler (world.c) decides what happens next.
 */
#ifndef LOTOR_SIMULATION_SIM_H
#define LOTOR_SIMULATION_SIM_H

#include <stdarg.h>

#include "service/store/heads.h"
#include "service/store/store.h"
#include "simulation/database.h"
#include "simulation/fiber.h"
#include "simulation/rng.h"

enum { SIM_SERVERS = 4, SIM_HEADS = 64, LOOK_MOST = 64 };

typedef enum sim_mode {
    SIM_EXCLUSIVE, /* one server, as on SQLite */
    SIM_SOLO,      /* one database without a standby */
    SIM_SYNC,      /* COMMIT waits for a standby */
    SIM_ASYNC      /* the standby lags: a failover loses what it does not have yet */
} sim_mode;

/* Kinds of faults. A trap waits for the next call of a server that it fits. */
typedef enum sim_fault {
    FAULT_CRASH_BEFORE, /* trap: the server ends before its COMMIT is applied */
    FAULT_CRASH_AFTER,  /* trap: the server ends after its COMMIT was applied */
    FAULT_CRASH,        /* the server ends, whatever it is doing */
    FAULT_REPLY_LOST,   /* trap: COMMIT is applied, but the connection ends before the reply */
    FAULT_COMMIT_LOST,  /* trap: the connection ends, and COMMIT is not applied */
    /* trap: COMMIT is visible, not durable, and replied with a WARNING (synchronous standby) */
    FAULT_WARNING,
    /* trap: the server gives up waiting for a COMMIT, which is applied later or never */
    FAULT_LATE,
    FAULT_SLOW,     /* trap: a COMMIT takes up to 2.4 seconds to reach the database */
    FAULT_ERROR,    /* trap: a statement is refused */
    FAULT_CUT,      /* the connection ends */
    FAULT_PAUSE,    /* the server is paused for longer than its lease */
    FAULT_SKEW,     /* the server's own clock is 5 s wrong */
    FAULT_SKEW_DAY, /* the server's own clock is a day wrong */
    FAULT_JUMP,     /* the database's clock jumps a day ahead, and later back */
    FAULT_RESTART,  /* the database restarts; nothing that was logged is lost */
    /* the standby is promoted; only unacknowledged commits are lost (synchronous) */
    FAULT_FAILOVER,
    FAULT_TAIL,      /* the standby is promoted; acknowledged commits are lost (asynchronous) */
    FAULT_AWAY,      /* the standby can't be reached for some seconds (synchronous) */
    FAULT_WANTS,     /* the table of wants is emptied */
    FAULT_STOP,      /* the server is stopped cleanly and started again */
    FAULT_DUPLICATE, /* a server starts with the random numbers of a running one */
    FAULT_HEADS,     /* trap: the head file can't be written */
    FAULT_COUNT
} sim_fault;
extern const char *const sim_fault_names[FAULT_COUNT];

/* Broken stores. Each breaks one property that the protocol needs, and must be found by the
 * checks. */
typedef enum sim_variant {
    VARIANT_NONE,
    VARIANT_NO_FENCE,  /* put_lease ignores owner and epoch */
    VARIANT_NO_SPECS,  /* put_lease ignores that the specification changed */
    VARIANT_TAKE_LIVE, /* take ignores that the owner is live, and put_lease the epoch */
    VARIANT_OLD_LOOK,  /* each_open returns what was open before the append */
    /* each_log misses rows since the owner's last transaction, as if it read before the seal */
    VARIANT_EARLY_READ,
    VARIANT_MISSED_ROWS,   /* each_log misses rows of the last 20 ms */
    VARIANT_LOST_ROWS,     /* one in 20 appended rows is missing */
    VARIANT_FORGET_LOG,    /* forget deletes log rows of open decisions */
    VARIANT_FORGET_UNREAD, /* forget_log deletes rows that the owner has not read */
    VARIANT_FORGET_BLOCK,  /* forget deletes the first open block */
    VARIANT_ANY_HOLDER,    /* each_block returns the blocks of all servers to every server */
    /* each_open also returns blocks that are no longer open (version 0.1: a stale cache) */
    VARIANT_STALE_BLOCKS,
    VARIANT_WARNING_IS_OK, /* a COMMIT with a WARNING counts as successful */
    VARIANT_NO_WAIT,       /* COMMIT does not wait for the synchronous standby */
    VARIANT_EARLY_REPLY,   /* COMMIT is replied to before it is applied */
    VARIANT_SPLIT_COMMIT,  /* a COMMIT whose reply is lost has applied only some of its rows */
    VARIANT_DIRTY_READ,    /* rows of other transactions are visible before their COMMIT */
    VARIANT_NO_CAP,        /* count_user never refuses */
    VARIANT_NO_CHARGE,     /* charge adds nothing to what a user has spent */
    VARIANT_CHARGE_TWICE,  /* charge adds the cost of two rounds */
    VARIANT_NO_STICKY,     /* get_sticky finds nothing */
    VARIANT_NO_HEADS,      /* the head file forgets the campaigns */
    VARIANT_LOCAL_CLOCK,   /* lotor_store_now reads the server's own clock */
    /* a server that starts again keeps its old id and stream, and may overwrite rows */
    VARIANT_REUSED_NAME,
    VARIANT_COUNT
} sim_variant;
extern const char *const sim_variant_names[VARIANT_COUNT];

/* So many rounds of one user count in all campaigns of the simulation's budget. */
enum { SIM_BUDGET_ROUNDS = 4 };

typedef enum sim_state {
    SERVER_DOWN,
    SERVER_STARTING,
    SERVER_IDLE,
    SERVER_STEPPING,
    SERVER_STOPPING
} sim_state;

typedef struct sim_head_file {
    lotor_head_record records[SIM_HEADS];
    size_t count;
} sim_head_file;

struct lotor_heads {
    struct sim_server *server;
    sim_head_file memory;
    bool is_changed;
};

struct lotor_store {
    struct sim *sim;
    struct sim_server *server;
    db_tx *tx;             /* the open transaction; NULL: none */
    bool in_transaction;   /* between begin and commit; tx is NULL if the transaction failed */
    bool is_auto;          /* the current call is its own transaction */
    bool is_quiet;         /* the current call reports no error: a later one does */
    bool is_told;          /* the transaction's error was reported */
    lotor_status deferred; /* that error */
    bool is_cut; /* the connection ended: the next call reports it, or opens a new connection */
    uint64_t connections;
    uint64_t touched_at; /* when the transaction was last used */
    /* For the broken variants: */
    uint64_t last_begun; /* the order of commits when the last transaction with a lease began */
    uint64_t before_begun;
    struct {
        uint64_t first, nonce;
    } look[LOOK_MOST];
    size_t look_count;
    uint64_t look_campaign;
};

typedef struct sim_server {
    struct sim *sim;
    int place;
    sim_state state;
    fiber *fiber;
    bool is_crashed;
    uint64_t starts;
    /* the server whose random numbers the next start uses; NULL: its own */
    const struct sim_server *twin;
    rng random;         /* the source of the system's random bytes on this server */
    uint64_t boot_base; /* true time - base = boot clock */
    int64_t skew;       /* of the server's own clock */
    uint64_t paused_until, down_until;
    uint64_t started_at;
    /* Why the fiber can't be resumed: it waits for another transaction or for the standby, until
     * blocked_until at the latest. */
    uint64_t blocked_tx, blocked_lsn, blocked_until;
    bool traps[FAULT_COUNT];
    lotor_store store;
    sim_head_file disk;
    bool has_disk;
    sim_head_file told; /* what the engine wrote, even if a broken variant did not keep it */
    lotor_heads *heads;
    struct lotor_engine *engine;
    lotor_status result; /* of the last start, step or stop */
    uint64_t step_at;    /* when the engine wants its next step, by its boot clock */
} sim_server;

typedef struct sim {
    uint64_t seed, step;
    uint64_t now;      /* the true time in milliseconds */
    int64_t db_offset; /* of the database's clock */
    bool has_jumped;
    bool lacks_users; /* the database mirrors a real store, without the table of users */
    sim_mode mode;
    sim_variant variant;
    rng schedule, values;
    db *base;
    uint64_t db_down_until, away_until;
    sim_server servers[SIM_SERVERS];
    size_t server_count;
    sim_server *running; /* the server whose code is running; NULL: none */
    uint64_t faults[FAULT_COUNT], commits;
    bool no_faults; /* true at the end of a run */
    bool is_violated;
    uint64_t violated_step;
    char violation[400];
    bool is_verbose, says_calls;
    uint64_t trace; /* a hash of everything that may not depend on feedback */
} sim;

/* Reports a violation. The first one counts. */
void sim_violate(sim *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_say(const sim *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_trace(sim *world, uint64_t word);

/* store_sim.c */
void sim_store_connect(sim *world, sim_server *server); /* sets up server->store */
/* the connection ends; its transaction may stay open for a while */
void sim_store_cut(lotor_store *store);
void sim_crash(sim_server *server);         /* all later calls of its store fail */
void sim_orphans(sim *world);               /* ends or applies the orphans that are due */
void sim_standby(sim *world, uint64_t lsn); /* the standby gets the log up to this lsn */
bool sim_is_blocked(const sim_server *server);
uint64_t sim_db_now(const sim *world);
uint64_t sim_own_now(const sim_server *server);

/* heads_sim.c: constructors for the simulation. */
lotor_heads *sim_heads_open(sim_server *server);

/* seams.c: random bytes and clocks for the server whose code is running. */
void sim_seams(sim *world);

#endif

/* sim.h - one simulated world: servers, their clocks, one database, and the faults that happen to them.
 *
 * Everything is in one thread. A server's engine runs in a fiber; every call of the store stops the fiber before
 * and after its effect, and the scheduler (world.c) decides what happens next. */
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
    SIM_ASYNC      /* a standby that lags: a failover loses what it has not got */
} sim_mode;

/* Kinds of faults. A trap waits at a server for the next call that it fits. */
typedef enum sim_fault {
    FAULT_CRASH_BEFORE, /* trap: the server ends before its COMMIT is applied */
    FAULT_CRASH_AFTER,  /* trap: the server ends after its COMMIT was applied */
    FAULT_CRASH,        /* the server ends wherever it is */
    FAULT_REPLY_LOST,   /* trap: COMMIT is applied, the connection ends before the reply */
    FAULT_COMMIT_LOST,  /* trap: the connection ends, and COMMIT is not applied */
    FAULT_WARNING, /* trap: COMMIT is visible and not durable, with a WARNING (synchronous standby) */
    FAULT_LATE,    /* trap: the server gives a COMMIT up, and it is applied later, or not */
    FAULT_SLOW,    /* trap: a COMMIT takes up to 2.4 seconds to reach the database */
    FAULT_ERROR,   /* trap: a statement is refused */
    FAULT_CUT,     /* the connection ends */
    FAULT_PAUSE,   /* the server stands still, longer than its lease */
    FAULT_SKEW,    /* the server's own clock is 5 s wrong */
    FAULT_SKEW_DAY, /* the server's own clock is a day wrong */
    FAULT_JUMP,     /* the database's clock jumps a day ahead, and later back */
    FAULT_RESTART,  /* the database restarts; nothing that was logged is lost */
    FAULT_FAILOVER, /* the standby is promoted; only what nobody was told of is lost (synchronous) */
    FAULT_TAIL,  /* the standby is promoted; commits that were replied to are lost (asynchronous) */
    FAULT_AWAY,  /* the standby can't be reached for some seconds (synchronous) */
    FAULT_WANTS, /* the table of wants is emptied */
    FAULT_STOP,  /* the server is stopped cleanly and started again */
    FAULT_DUPLICATE, /* a server starts with the random numbers of one that runs */
    FAULT_HEADS,     /* trap: the head file can't be written */
    FAULT_COUNT
} sim_fault;
extern const char *const sim_fault_names[FAULT_COUNT];

/* Broken stores: each breaks one thing that the protocol rests on, and must be found. */
typedef enum sim_variant {
    VARIANT_NONE,
    VARIANT_NO_FENCE,  /* put_lease ignores owner and epoch */
    VARIANT_NO_SPECS,  /* put_lease ignores that the specification changed */
    VARIANT_TAKE_LIVE, /* take ignores that the owner is live, and put_lease the epoch */
    VARIANT_OLD_LOOK,  /* each_open answers with what was open before the append */
    VARIANT_EARLY_READ, /* each_log misses rows since the owner's last transaction: it reads before the seal */
    VARIANT_MISSED_ROWS,   /* each_log misses rows of the last 20 ms */
    VARIANT_LOST_ROWS,     /* one in 20 appended rows is not there */
    VARIANT_FORGET_LOG,    /* forget deletes log rows of open decisions */
    VARIANT_FORGET_UNREAD, /* forget_log deletes rows that the owner has not read */
    VARIANT_FORGET_BLOCK,  /* forget deletes the first open block */
    VARIANT_ANY_HOLDER,    /* each_block tells every server's blocks to every server */
    VARIANT_STALE_BLOCKS, /* each_open tells blocks that were open once (version 0.1: a stale cache) */
    VARIANT_WARNING_IS_OK, /* COMMIT with a WARNING is taken as done */
    VARIANT_NO_WAIT,       /* COMMIT does not wait for the synchronous standby */
    VARIANT_EARLY_REPLY,   /* COMMIT is answered before it is applied */
    VARIANT_SPLIT_COMMIT,  /* a COMMIT whose reply is lost has applied only some of its rows */
    VARIANT_DIRTY_READ,    /* other transactions' rows are seen before their COMMIT */
    VARIANT_NO_CAP,        /* count_user never refuses */
    VARIANT_NO_HEADS,      /* the head file forgets the campaigns */
    VARIANT_LOCAL_CLOCK,   /* lotor_store_now reads the server's own clock */
    VARIANT_REUSED_NAME, /* a server that starts again has its old name and stream, and may overwrite rows */
    VARIANT_COUNT
} sim_variant;
extern const char *const sim_variant_names[VARIANT_COUNT];

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
    bool in_transaction;   /* between begin and commit; tx is NULL if it failed */
    bool is_auto;          /* the running call is a transaction of its own */
    bool is_quiet;         /* the running call tells no error: a later one does */
    bool is_told;          /* the transaction's error was told */
    lotor_status deferred; /* that error */
    bool is_cut;           /* the connection ended: the next call says so, or makes a new one */
    uint64_t connections;
    uint64_t touched_at; /* when the transaction was used last */
    /* For broken variants. */
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
    const struct sim_server *twin; /* whose random numbers the next start has; NULL: its own */
    rng random;                    /* what the system's random bytes are for this server */
    uint64_t boot_base;            /* true time - base = boot clock */
    int64_t skew;                  /* of its own clock */
    uint64_t paused_until, down_until;
    uint64_t started_at;
    /* Why the fiber can't be resumed: another transaction, or the standby; not longer than blocked_until. */
    uint64_t blocked_tx, blocked_lsn, blocked_until;
    bool traps[FAULT_COUNT];
    lotor_store store;
    sim_head_file disk;
    bool has_disk;
    sim_head_file told; /* what the engine wrote down, also if a broken variant did not keep it */
    lotor_heads *heads;
    struct lotor_engine *engine;
    lotor_status result; /* of the last start, step or stop */
    uint64_t step_at;    /* when the engine wants the next step, by its boot clock */
} sim_server;

typedef struct sim {
    uint64_t seed, step;
    uint64_t now;      /* the true time, milliseconds */
    int64_t db_offset; /* of the database's clock */
    bool has_jumped;
    sim_mode mode;
    sim_variant variant;
    rng schedule, values;
    db *base;
    uint64_t db_down_until, away_until;
    sim_server servers[SIM_SERVERS];
    size_t server_count;
    sim_server *running; /* whose code runs now; NULL: nobody's */
    uint64_t faults[FAULT_COUNT], commits;
    bool no_faults; /* the end of a run */
    bool is_violated;
    uint64_t violated_step;
    char violation[400];
    bool is_verbose, says_calls;
    uint64_t trace; /* a hash of what may not depend on answers */
} sim;

/* The first violation counts. */
void sim_violate(sim *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_say(const sim *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_trace(sim *world, uint64_t word);

/* store_sim.c */
void sim_store_connect(sim *world, sim_server *server); /* sets up server->store */
void sim_store_cut(lotor_store *store);     /* the connection ends; its transaction may linger */
void sim_crash(sim_server *server);         /* every later call of its store fails */
void sim_orphans(sim *world);               /* ends or applies what is due */
void sim_standby(sim *world, uint64_t lsn); /* the standby gets the log up to there */
bool sim_is_blocked(const sim_server *server);
uint64_t sim_db_now(const sim *world);
uint64_t sim_own_now(const sim_server *server);

/* heads_sim.c: test-only constructors. */
lotor_heads *sim_heads_open(sim_server *server);

/* seams.c: random bytes and clocks of the process, for whoever runs now. */
void sim_seams(sim *world);

#endif

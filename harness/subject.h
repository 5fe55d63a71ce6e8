/* subject.h: what a kernel gives to be judged, and what it is given in return.
 *
 * Self-contained: C11, C++17 and CUDA. A subject is a shared object with one exported symbol, at_subject_v1; the digit
 * is the ABI's. The harness owns all memory it hands over. Nothing is thrown across this line; a refusal is a code, a
 * rule and a sentence.
 */
#ifndef AT_SUBJECT_H
#define AT_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { AT_SUBJECT_ABI = 1, AT_INPUTS = 17, AT_OUTPUTS = 3, AT_MAX_RANK = 8 };

typedef enum { AT_ABSENT, AT_F16, AT_BF16, AT_F32, AT_F64, AT_I8, AT_U8, AT_F8E4M3FN, AT_I32, AT_I64 } at_dtype;

typedef enum {
    AT_ACCEPTED,
    AT_NOT_IMPLEMENTED, /* legal, and this subject does not do it                          */
    AT_INVALID_NODE,    /* the attributes, or which inputs are there, are illegal          */
    AT_INVALID_CALL,    /* shapes, aliases or values of a call are illegal                 */
    AT_NOT_WARMED,      /* capturing, and this signature has not run eagerly on the kernel */
    AT_OUT_OF_MEMORY,
    AT_DEVICE_ERROR /* the device said so; the text carries its words                  */
} at_code;

typedef enum { AT_HOST, AT_CUDA } at_device_kind;

/* Schema order of com.microsoft::PagedAttention v1. */
enum {
    AT_QUERY,
    AT_KEY,
    AT_VALUE,
    AT_KEY_CACHE,
    AT_VALUE_CACHE,
    AT_CUMULATIVE_SEQUENCE_LENGTH,
    AT_PAST_SEQLENS,
    AT_BLOCK_TABLE,
    AT_COS_CACHE,
    AT_SIN_CACHE,
    AT_SLOT_MAPPING,
    AT_HEAD_SINK,
    AT_Q_NORM_WEIGHT,
    AT_K_NORM_WEIGHT,
    AT_K_SCALE,
    AT_V_SCALE,
    AT_ATTENTION_METADATA
};
enum { AT_OUTPUT, AT_KEY_CACHE_OUT, AT_VALUE_CACHE_OUT };

typedef struct {
    const char *rule; /* id of the contract's refusal table, of a rule that is broken, static storage; NULL: none */
    char text[500];   /* one sentence with the values; the subject terminates it                       */
} at_refusal;

typedef enum { AT_INT, AT_FLOAT, AT_STRING } at_attr_type;
typedef struct {
    const char *name;
    at_attr_type type; /* which of the next three counts */
    int64_t i;
    float f;
    const char *s;
} at_attr;

/* The node as the graph has it: an attribute that is not listed is absent and its default is the subject's business.
 * Unknown, mistyped and repeated attributes can be said, and are, by the cases that must be refused. */
typedef struct {
    const char *dialect; /* one that the subject lists */
    const at_attr *attr; /* strings and array live until destroy */
    size_t attrs;
} at_node;

/* Dense and row-major. dtype AT_ABSENT: nothing else is read. */
typedef struct {
    at_dtype dtype;
    uint32_t rank;
    int64_t shape[AT_MAX_RANK];
    void *data; /* on the subject's device (attention_metadata: on the host); NULL where it has no elements. */
} at_tensor;    /* A call that must be refused may carry addresses that fault when touched. */

/* Lives for the call alone. Inputs are const by contract, key_cache and value_cache excepted. */
typedef struct {
    at_tensor in[AT_INPUTS], out[AT_OUTPUTS];
    void *stream; /* CUstream, or at_cpu_stream * for a host subject. All work goes on it and nothing waits for it. */
    void *workspace;        /* contents undefined on entry and between replays; one address at capture and replay */
    size_t workspace_bytes; /* at least what prepare asked for */
    int capturing;          /* the stream records: no allocation, no copy to the host, no wait, no new signature */
} at_call;

/* How a call computes: closed sets whose errors the oracle knows. 0 is "not said" and is judged by the widest of its
 * set. */
typedef enum {
    AT_ROPE_UNSAID,
    AT_ROPE_EXACT, /* q stays in f32: x c - y s, unrounded           */
    AT_ROPE_ROUND, /* RN_T(x c - y s)                                */
    AT_ROPE_SEP,   /* RN_T(RN_T(x c) - RN_T(y s))                    */
    AT_ROPE_FMA    /* RN_T(x c - RN_T(y s)), one fused multiply-add  */
} at_rope;
typedef enum { AT_DOT_UNSAID, AT_DOT_F32, AT_DOT_TENSOR } at_dot;
typedef enum { AT_EXP_UNSAID, AT_EXP_LIBM, AT_EXP_FAST, AT_EXP2_APPROX } at_exp;
typedef enum { AT_TANH_UNSAID, AT_TANH_LIBM, AT_TANH_APPROX } at_tanh;
typedef struct {
    at_rope rope;
    at_dot dot;
    at_exp exp;
    at_tanh tanh;
    at_dtype p;           /* softmax weights as they enter P.V, divided by their sum or not yet: AT_F32 or the
                             node's type; AT_ABSENT: not said                                            */
    at_dtype partial;     /* unmerged split results, likewise                                                  */
    int sum_of_rounded_p; /* the row sum adds the weights after that rounding                                   */
    uint32_t tile;        /* keys between two rescalings of the running maximum; 0: not said                    */
    uint32_t splits;      /* most pieces that one row's context is cut into; 0: not said                        */
} at_arithmetic;

/* Promises: results are bit-equal across ... */
enum {
    AT_CAPTURE = 1,        /* eager and captured runs of the same contents         */
    AT_REPEATABLE = 2,     /* repeats of a call                                    */
    AT_ANY_PAGE_ORDER = 4, /* placements of the same sequences in other pages      */
    AT_ANY_BATCH = 8,      /* a sequence alone and in any batch                    */
    AT_ANY_CHUNK = 16,     /* a prefill whole and in pieces                        */
    AT_HARDENED = 32 /* not bits but conduct: it also keeps what the contract asks of attest's own subjects alone */
};

/* The host's side of a launch. A host subject hands each kernel launch to the stream of its call; the harness runs it
 * at once, or keeps a copy and runs that at each replay: arguments are frozen when recorded, what they point to is read
 * at replay, as in CUDA. */
typedef enum { AT_FORWARD, AT_BACKWARD, AT_RANDOM } at_order;
typedef struct {
    at_order order;      /* of the threads of a block, and of the blocks                          */
    uint64_t seed;       /* of AT_RANDOM                                                          */
    int late;            /* asynchronous copies land at their wait (1) or at once (0)             */
    size_t shared_limit; /* bytes of shared memory that a block of the imitated device has   */
} at_cpu_how;
typedef struct at_cpu_launch {
    const char *name;
    uint32_t grid[3], block[3];
    size_t shared;    /* dynamic shared memory, bytes                         */
    const void *args; /* trivially copyable; the stream copies args_bytes     */
    size_t args_bytes;
    const char *(*run)(const struct at_cpu_launch *,
                       const at_cpu_how *); /* NULL, or what went wrong (valid until the next run) */
} at_cpu_launch;
typedef struct at_cpu_stream {
    uint32_t abi; /* AT_SUBJECT_ABI */
    int capturing;
    int (*launch)(struct at_cpu_stream *,
                  const at_cpu_launch *); /* 0, or non-zero with the error sticky on the stream */
} at_cpu_stream;

typedef struct at_kernel at_kernel; /* the subject's own; one thread at a time */

typedef struct {
    uint32_t abi, bytes; /* AT_SUBJECT_ABI and sizeof(at_subject): read before anything else */
    const char *name, *version, *about;
    at_device_kind device;
    const char *const *dialects; /* NULL-terminated; the first is the default */
    uint32_t promises;           /* AT_CAPTURE | ...                           */
    uint32_t alignment;          /* that every pointer has: a power of two, 1 to 256; slack up to it holds canaries */

    /* Would a runtime hand this node over? Host only: no device is touched. `in` says which inputs are there, and their
     * types. */
    at_code (*supports)(const at_node *, const at_dtype in[AT_INPUTS], at_refusal *);
    /* Judges attributes. CUDA: the primary context of `device` is current. May allocate and wait. *out is NULL after a
     * refusal. */
    at_code (*create)(const at_node *, int device, at_kernel **out, at_refusal *);
    /* From shapes alone, at any time, no device work: the workspace that execute needs and the arithmetic it will use.
     */
    at_code (*prepare)(at_kernel *, const at_call *, size_t *workspace_bytes, at_arithmetic *, at_refusal *);
    /* Asynchronous on call->stream. Refuses before the first device access; allocates nothing, waits for nothing. */
    at_code (*execute)(at_kernel *, const at_call *, at_refusal *);
    /* Has the signature of this call (dtype and every shape) run eagerly on this kernel? */
    at_code (*capture_ready)(const at_kernel *, const at_call *, at_refusal *);
    void (*destroy)(at_kernel *); /* after the stream is idle; NULL is fine */
} at_subject;

/* The one export: several subjects of one file by index; static storage; NULL past the last. */
typedef const at_subject *(*at_subject_entry)(uint32_t index);
__attribute__((visibility("default"))) const at_subject *at_subject_v1(uint32_t index);

#ifdef __cplusplus
}
#endif
#endif

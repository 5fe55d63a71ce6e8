/* How a wrong reading is put together: a row of the table changes one step of the right one. Private to hypotheses*.c.
 */
#ifndef OR_HYPOTHESES_READING_H
#define OR_HYPOTHESES_READING_H

#include "hypotheses.h"

typedef struct {
    const or_setting *setting;
    or_problem p; /* the call as the reading has it                       */
    const uint16_t *cache;
    uint16_t *own_cache; /* what a reading writes to, or NULL                    */
    int32_t *own_index;  /* likewise: a table, or lengths                        */
    or_attention *attention;
    or_budget *budget; /* NULL: no bound is asked for                         */
    int32_t *whole;    /* [B] past lengths that give the budget room for all  */

    int64_t token, head, sequence, position; /* of the row at hand; sequence -1: nobody's */
    int64_t keys, room;
    int64_t *at, *slot;         /* [keys] positions and where they lie                   */
    double *s, *logit, *weight; /* [keys] as or_row has them                         */
    double *q, *k;              /* [hs] the query; scratch                               */
    double *o;                  /* [vhs]                                                 */
} or_reading;

/* NULL: that step is as it should be. */
struct or_hypothesis {
    const char *id, *about;
    bool (*applies)(const or_setting *);
    bool (*prepare)(or_reading *); /* changes p or the cache, once; false: memory is short           */
    void (*query)(or_reading *);   /* changes q                                                       */
    void (*list)(or_reading *);    /* changes which keys are seen                                      */
    void (*score)(or_reading *);   /* changes logits, which or_reading_score has set                   */
    void (*answer)(or_reading *);  /* changes o, which or_reading_mix has set                          */
};

void or_reading_score(or_reading *);              /* logits of the listed keys under q, scale and softcap    */
void or_reading_mix(or_reading *, int64_t first); /* o: their softmax over values that begin at channel `first` */
void or_reading_add(or_reading *, int64_t position, int64_t slot);

extern const or_hypothesis or_hypothesis_table[]; /* hypotheses_table.c */
extern const size_t or_hypothesis_count;

#endif

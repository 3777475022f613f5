/* shown.c - how often each arm was shown: public, and kept with the state of the campaign.
 *
 * The state has the counts of the rounds that are over; those of open rounds are in their blocks. So at
 * every commit the two together are what was handed out, whoever starts on them. */
#include "service/engine/engine_parts.h"

#include <string.h>

void lotor_shown_add(uint64_t *shown, const lotor_drawn *drawn, size_t from, size_t to)
{
    for (size_t place = from; place < to; place++) {
        lotor_kept kept;
        lotor_drawn_kept(drawn, place, &kept);
        for (size_t i = 0; i < kept.count; i++) {
            shown[kept.arms[i]]++;
        }
    }
}

void lotor_shown_over(const lotor_campaign *campaign, uint64_t *out)
{
    const lotor_campaign_turn *turn = &campaign->turn;
    if (out != campaign->over) {
        memcpy(out, campaign->over, campaign->arms * sizeof *out);
    }
    size_t from = campaign->front;
    for (size_t i = campaign->block_first; turn->is_touched && i <= turn->front_block; i++) {
        const bool is_behind = i < turn->front_block;
        if (is_behind || from < turn->front) {
            lotor_shown_add(out, campaign->blocks[i], from,
                            is_behind ? lotor_shared_count(campaign, campaign->blocks[i])
                                      : turn->front);
        }
        from = 0;
    }
}

void lotor_shown_restore(lotor_campaign *campaign)
{
    memcpy(campaign->shown, campaign->over, campaign->arms * sizeof *campaign->shown);
    size_t from = campaign->front;
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        lotor_shown_add(campaign->shown, campaign->blocks[i], from, campaign->blocks[i]->handed);
        from = 0;
    }
}

void lotor_shown_since(lotor_campaign *campaign, const uint64_t *over, uint64_t final)
{
    memcpy(campaign->shown, over, campaign->arms * sizeof *campaign->shown);
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        const lotor_drawn *drawn = campaign->blocks[i];
        const size_t from = final >= drawn->first ? (size_t)(final - drawn->first + 1) : 0;
        if (from < drawn->handed) {
            lotor_shown_add(campaign->shown, drawn, from, drawn->handed);
        }
    }
}

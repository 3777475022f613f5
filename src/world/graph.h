/* graph.h - Bernoulli arms that are the edges of a graph. See graph.c for the grids and the files. */
#ifndef LOTOR_WORLD_GRAPH_H
#define LOTOR_WORLD_GRAPH_H

#include "world/world.h"

/* Each takes `arms` as lotor_world_instance does: 0, or the number of edges. */

/* `size` is rows x columns of vertices, such as "5x5". */
lotor_status lotor_world_grid(const char *size, size_t arms, lotor_message *why, lotor_world **out);

lotor_status lotor_world_graph(const char *file, size_t arms, lotor_message *why,
                               lotor_world **out);
lotor_status lotor_world_coverage(const char *file, size_t arms, lotor_message *why,
                                  lotor_world **out);

/* As the two above (is_bipartite: the second), on the bytes of the file; `name` is what messages
 * call it. */
lotor_status lotor_world_graph_parse(const char *name, const char *bytes, size_t length,
                                     bool is_bipartite, size_t arms, lotor_message *why,
                                     lotor_world **out);

#endif

/* graph.h - Bernoulli arms that are the edges of a graph. See graph.c for grids and the file
 * format. */
#ifndef LOTOR_WORLD_GRAPH_H
#define LOTOR_WORLD_GRAPH_H

#include "world/world.h"

/* In all functions `arms` is 0 or the number of edges, as in lotor_world_instance. */

/* `size` is rows x columns of vertices, such as "5x5". */
lotor_status lotor_world_grid(const char *size, size_t arms, lotor_message *why, lotor_world **out);

lotor_status lotor_world_graph(const char *file, size_t arms, lotor_message *why,
                               lotor_world **out);
lotor_status lotor_world_coverage(const char *file, size_t arms, lotor_message *why,
                                  lotor_world **out);

/* Like lotor_world_graph and (if is_bipartite) lotor_world_coverage, on the bytes of a file. `name`
 * is the file's name for messages. */
lotor_status lotor_world_graph_parse(const char *name, const char *bytes, size_t length,
                                     bool is_bipartite, size_t arms, lotor_message *why,
                                     lotor_world **out);

#endif

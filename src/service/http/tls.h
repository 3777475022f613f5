/* tls.h - the certificate and the private key of a server that speaks HTTPS.
 *
 * They can be replaced while the server runs. Each new connection gets the newest certificate; open
 * connections keep theirs and are not closed. libmicrohttpd does TLS with GnuTLS and asks for the
 * certificate in every handshake (MHD_OPTION_HTTPS_CERT_CALLBACK2).
 */
#ifndef LOTOR_SERVICE_TLS_H
#define LOTOR_SERVICE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include <gnutls/abstract.h>

#include <lotor/status.h>

typedef struct lotor_tls lotor_tls;

enum { LOTOR_TLS_CHAIN_MAX = 16 };

/* Protocols and ciphers, for MHD_OPTION_HTTPS_PRIORITIES: TLS 1.2 and 1.3. */
#define LOTOR_TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

/* Reads the files, both PEM. The file of the certificate has the server's certificate first, then
 * those that signed it. LOTOR_IO: a file can't be read. LOTOR_DAMAGED: a file is not what it should
 * be, or the two do not belong together. */
lotor_status lotor_tls_open(const char *certificate, const char *key, lotor_message *why,
                            lotor_tls **out);
void lotor_tls_free(lotor_tls *tls); /* after the HTTP server */

/* Reads the files again; one thread at a time. If that fails, the certificate stays as it was.
 * *has_changed: the files have another certificate or key than before. */
lotor_status lotor_tls_reload(lotor_tls *tls, lotor_message *why, bool *has_changed);

time_t lotor_tls_expires(const lotor_tls *tls); /* when the newest certificate expires */

/* The newest certificate chain and its key, for one handshake. They live as long as `tls`. */
void lotor_tls_current(lotor_tls *tls, gnutls_pcert_st **chain, unsigned *length,
                       gnutls_privkey_t *key);

#endif

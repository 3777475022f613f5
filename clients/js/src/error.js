// error.js - the only kind of error that this package throws on purpose.

/** An error of this package (`status` is null), or of the service (`status` is the HTTP status). `refused` lists the refused
 * rewards of a request. */
export class LotorError extends Error {
  constructor(code, message, { field = null, status = null, cause, refused = null } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "LotorError";
    this.code = code;
    this.field = field;
    this.status = status;
    this.refused = refused;
  }
}

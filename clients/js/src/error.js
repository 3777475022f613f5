// error.js - the one kind of error that this package throws on purpose.

/** What went wrong: here (status null), or at the service (status is HTTP's). */
export class LotorError extends Error {
  constructor(code, message, { field = null, status = null, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "LotorError";
    this.code = code;
    this.field = field;
    this.status = status;
  }
}

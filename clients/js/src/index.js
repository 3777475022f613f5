// index.js - lotor-client: private reports on a person's device, and the decision service's rank and
// reward.
export { LotorError } from "./error.js";
export { Randomizer } from "./randomizer.js";
export { Client } from "./client.js";

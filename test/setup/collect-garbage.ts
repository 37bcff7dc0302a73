/** Collects this process's garbage, so that a later measurement includes only live memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectGarbage: () => void = runInNewContext('gc');

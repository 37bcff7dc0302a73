import fc, { type Arbitrary } from 'fast-check';
import type { Attack } from './attack.ts';
import { bodyAttack } from './body-attacks.ts';
import { cursorAttack } from './cursor-attacks.ts';
import { frameAttack } from './frame-attacks.ts';
import { graphqlAttack } from './graphql-attacks.ts';
import { headerAttack } from './header-attacks.ts';
import { streamAttack } from './stream-attacks.ts';

/** All kinds of attacks, mostly documents. */
export const hostileAttack: Arbitrary<Attack> = fc.oneof(
  { weight: 8, arbitrary: graphqlAttack },
  { weight: 3, arbitrary: cursorAttack },
  { weight: 3, arbitrary: headerAttack },
  { weight: 3, arbitrary: bodyAttack },
  { weight: 3, arbitrary: streamAttack },
  { weight: 4, arbitrary: frameAttack },
);

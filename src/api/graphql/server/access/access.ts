/**
 * Who may select a root field. Every root field lists one or more of these as its `authScopes`, of which the caller needs one. A restricted
 * key also needs the scope of the field (key-scopes.ts).
 *
 * - `public`: anyone, without a credential.
 * - `read`: a secret key, or any member of the merchant.
 * - `write`: a secret key, or a member who is not a viewer.
 * - `secretKey`: a secret key only.
 * - `owner`: a member who owns the merchant's account.
 * - `member`: any member.
 * - `credential`: any key or token of the payments API, including publishable keys.
 * - `session`: a checkout session's client secret.
 * - `card`, `cardSession`, `onetime`: the card API's tokens, by audience: access, session connect, onetime connect.
 * - `payer`: a wallet's token.
 * - `arbiter`, `operator`: credentials of the installation. Members appointed by its operator may do what `operator` may.
 * - `clock`: callers that may advance the test clock: those of `write` or of `operator`, depending on TEST_CLOCK.
 */
import type { Principal } from '../../../../auth/principal.ts';
import type { Config } from '../../../../config/config.ts';

export const accessNames = [
  'public',
  'read',
  'write',
  'secretKey',
  'owner',
  'member',
  'credential',
  'session',
  'card',
  'cardSession',
  'onetime',
  'payer',
  'arbiter',
  'operator',
  'clock',
] as const;
export type Access = (typeof accessNames)[number];

/** The part of the configuration that affects access. */
type AccessSettings = Pick<Config, 'testClock'>;

/** What `clock` is equivalent to, by TEST_CLOCK. */
const clockAccess = { keys: 'write', operator: 'operator' } as const satisfies Record<Config['testClock'], Access>;

const always = new Set<Access>(['public']);
const secretKey = new Set<Access>(['public', 'secretKey', 'read', 'write', 'credential']);
const publishableKey = new Set<Access>(['public', 'credential']);
const session = new Set<Access>(['public', 'session']);
const cards = {
  card: new Set<Access>(['public', 'card']),
  'session-connect': new Set<Access>(['public', 'cardSession']),
  'onetime-connect': new Set<Access>(['public', 'onetime']),
};
const payer = new Set<Access>(['public', 'payer']);
const operator = new Set<Access>(['public', 'operator']);
const arbiter = new Set<Access>(['public', 'arbiter']);
const members = {
  OWNER: new Set<Access>(['public', 'read', 'write', 'credential', 'member', 'owner']),
  DEVELOPER: new Set<Access>(['public', 'read', 'write', 'credential', 'member']),
  VIEWER: new Set<Access>(['public', 'read', 'credential', 'member']),
};
/** Members appointed by the operator of the installation. */
const operators = {
  OWNER: new Set<Access>([...members.OWNER, 'operator']),
  DEVELOPER: new Set<Access>([...members.DEVELOPER, 'operator']),
  VIEWER: new Set<Access>([...members.VIEWER, 'operator']),
};

/** Returns the access of a caller that does not depend on the configuration, which is everything except `clock` (`mayAsk`). */
export function accessOf(principal: Principal): ReadonlySet<Access> {
  switch (principal.kind) {
    case 'anonymous':
      return always;
    case 'apiKey':
      return principal.keyKind === 'SECRET' ? secretKey : publishableKey;
    case 'session':
      return session;
    case 'member':
      return (principal.isOperator ? operators : members)[principal.role];
    case 'card':
      return cards[principal.audience];
    case 'payer':
      return payer;
    case 'platform':
      return principal.role === 'ARBITER' ? arbiter : operator;
    default:
      return principal satisfies never;
  }
}

export function isAccess(name: string): name is Access {
  return (accessNames as readonly string[]).includes(name);
}

/** Whether the caller has any one of these. */
export function mayAsk(principal: Principal, needed: readonly Access[], { testClock }: AccessSettings): boolean {
  const access = accessOf(principal);
  return needed.some((name) => access.has(name === 'clock' ? clockAccess[testClock] : name));
}

/** Returns the same as a record of all names, which the schema's own check reads. */
export function grantedTo(principal: Principal, settings: AccessSettings): Record<Access, boolean> {
  return Object.fromEntries(accessNames.map((name) => [name, mayAsk(principal, [name], settings)])) as Record<
    Access,
    boolean
  >;
}

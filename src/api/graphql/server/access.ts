/**
 * Who may ask for a root field. Every root field names one or more of these as its `authScopes`; any one suffices.
 *
 * - `public`: anybody, without a credential.
 * - `read`: a secret key, or any member of the merchant.
 * - `write`: a secret key, or a member who is not a viewer.
 * - `secretKey`: a secret key only.
 * - `owner`: a member who owns the merchant's account.
 * - `member`: any member.
 * - `credential`: any key or token of the payments API, publishable keys too.
 * - `session`: a checkout session's client secret.
 * - `card`, `cardSession`, `onetime`: the card API's tokens, by audience: access, session connect, onetime connect.
 * - `payer`: a wallet's token.
 * - `arbiter`, `operator`: credentials of the installation; a member whom its operator named may do what `operator` may.
 */
import type { Principal } from '../../../auth/principal.ts';

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
] as const;
export type Access = (typeof accessNames)[number];

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
/** Members whom the installation's operator named. */
const operators = {
  OWNER: new Set<Access>([...members.OWNER, 'operator']),
  DEVELOPER: new Set<Access>([...members.DEVELOPER, 'operator']),
  VIEWER: new Set<Access>([...members.VIEWER, 'operator']),
};

/** What a caller may ask for. */
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

/** The same as a record of every name, which the schema's own check reads. */
export function grantedTo(principal: Principal): Record<Access, boolean> {
  const access = accessOf(principal);
  return Object.fromEntries(accessNames.map((name) => [name, access.has(name)])) as Record<Access, boolean>;
}

/** Who may call an operation, as OpenAPI security schemes and as a sentence, because schemes cannot express roles. */
import type { Access } from '../../graphql/server/access/access.ts';
import type { JsonSchema } from './json-schema.ts';

/** Returns alternative schemes, of which a caller needs one. */
export function securityOf(access: readonly Access[]): JsonSchema[] {
  const schemes = new Set<string>();
  for (const name of access) for (const scheme of schemesByAccess[name]) schemes.add(scheme);
  return [...schemes].map((scheme) => (scheme === '' ? {} : { [scheme]: [] }));
}

/** Returns a sentence such as "Requires a secret API key or the session's client secret." */
export function callersOf(access: readonly Access[]): string {
  if (access.includes('public')) return 'Requires no credential.';
  const credentials = [...new Set(access.flatMap((name) => credentialsByAccess[name]))];
  return `Requires ${disjunction.format(credentials)}.`;
}

const disjunction = new Intl.ListFormat('en', { type: 'disjunction' });

const schemesByAccess: Record<Access, string[]> = {
  public: [''],
  read: ['apiKey', 'bearer'],
  write: ['apiKey', 'bearer'],
  secretKey: ['apiKey'],
  owner: ['bearer'],
  member: ['bearer'],
  credential: ['apiKey', 'publishableKey', 'bearer'],
  session: ['clientSecret'],
  card: ['bearer'],
  cardSession: ['bearer'],
  onetime: ['bearer'],
  payer: ['bearer'],
  arbiter: ['arbiterKey'],
  operator: ['operatorKey'],
  clock: ['apiKey', 'bearer', 'operatorKey'],
};

const writing = ['a secret API key', 'the token of a member who is not a viewer'];

const credentialsByAccess: Record<Access, string[]> = {
  public: [],
  read: ['a secret API key', 'the token of a member'],
  write: writing,
  secretKey: ['a secret API key'],
  owner: ['the token of an owner'],
  member: ['the token of a member'],
  credential: ['any API key', 'the token of a member'],
  session: ["the checkout session's client secret"],
  card: ['an access token'],
  cardSession: ['a session token'],
  onetime: ['a onetime token'],
  payer: ["a paying wallet's token"],
  arbiter: ["an arbiter's credential"],
  operator: ["a platform operator's credential"],
  clock: [...writing, "a platform operator's credential, as the installation is configured"],
};

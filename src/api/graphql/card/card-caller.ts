/** The caller of the card API, in the form that its operations need. The field's access has already excluded other tokens. */
import type { Principal } from '../../../auth/principal.ts';
import type { CardCaller } from '../../../card/card-world.ts';
import { refusal } from '../server/scope-of.ts';

export type CardPrincipal = Extract<Principal, { kind: 'card' }>;

export function cardPrincipal(principal: Principal): CardPrincipal {
  if (principal.kind !== 'card') throw refusal(principal);
  return principal;
}

/** Returns the caller of an access token or of a session's token. */
export function cardCaller(principal: Principal): CardCaller {
  const { userId, audience, subjectId } = cardPrincipal(principal);
  return { userId, sessionId: audience === 'session-connect' ? subjectId : null };
}

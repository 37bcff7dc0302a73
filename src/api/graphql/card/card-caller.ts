/** Who calls the card API, as its verbs want it. The access of the field has let no other token through. */
import type { Principal } from '../../../auth/principal.ts';
import type { CardCaller } from '../../../card/card-world.ts';
import { refusal } from '../server/scope-of.ts';

export type CardPrincipal = Extract<Principal, { kind: 'card' }>;

export function cardPrincipal(principal: Principal): CardPrincipal {
  if (principal.kind !== 'card') throw refusal(principal);
  return principal;
}

/** With an access token, or with a session's. */
export function cardCaller(principal: Principal): CardCaller {
  const { userId, audience, subjectId } = cardPrincipal(principal);
  return { userId, sessionId: audience === 'session-connect' ? subjectId : null };
}

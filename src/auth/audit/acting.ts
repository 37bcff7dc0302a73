/** The actor of the current work: the caller of a mutation, or an operator at the command line. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditActorKind } from '../../../prisma/client.ts';

export type Actor = {
  kind: AuditActorKind;
  /** The id of the member, key or credential. Null at the command line. */
  id: string | null;
  /** Set if the row of `id` does not contain the name. */
  name?: string;
  /** The merchant that the actor belongs to. */
  merchantId: string | null;
  appId: string | null;
};

export type Acting = {
  /** Null if the caller's actions are not recorded, as for a payer. */
  actor: Actor | null;
  address: string | null;
  userAgent: string | null;
  requestId: string;
};

const acts = new AsyncLocalStorage<Acting>();

/** Runs `work`, including everything that it awaits, on behalf of its actor. */
export function actingFor<Answer>(acting: Acting, work: () => Answer): Answer {
  return acts.run(acting, work);
}

/** Returns the actor of the current work, or undefined for work that the gateway does on its own. */
export function presentActing(): Acting | undefined {
  return acts.getStore();
}

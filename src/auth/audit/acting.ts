/** For whom the present work is done: the caller of a mutation, or an operator at the command line. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditActorKind } from '../../../prisma/client.ts';

export type Actor = {
  kind: AuditActorKind;
  /** Of the member, the key or the credential; null at the command line. */
  id: string | null;
  /** Where it is not told by the row that `id` names. */
  name?: string;
  /** What the actor belongs to. */
  merchantId: string | null;
  appId: string | null;
};

export type Acting = {
  /** Null: nobody whose actions are recorded, such as a payer. */
  actor: Actor | null;
  address: string | null;
  userAgent: string | null;
  requestId: string;
};

const acts = new AsyncLocalStorage<Acting>();

/** Runs `work` for its actor; everything it awaits included. */
export function actingFor<Answer>(acting: Acting, work: () => Answer): Answer {
  return acts.run(acting, work);
}

/** For whom the present work is done; undefined for what the gateway does by itself. */
export function presentActing(): Acting | undefined {
  return acts.getStore();
}

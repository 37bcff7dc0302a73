/** The end of a session that is not a receipt, with the ways to reach the merchant. */
import type { ComponentProps } from 'react';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { PayeeContact } from '../../refunds/payee-contact.tsx';
import { EndCard } from './end-card.tsx';

type SessionEndProps = { view: CheckoutViewFragment } & Pick<ComponentProps<typeof EndCard>, 'why' | 'retry'>;

export function SessionEnd({ view, ...end }: SessionEndProps) {
  const { contact, appName, session } = view;
  return (
    <EndCard {...end} url={session.cancelUrl}>
      <PayeeContact contact={contact} payee={appName} reference={session.paymentIntentId} />
    </EndCard>
  );
}

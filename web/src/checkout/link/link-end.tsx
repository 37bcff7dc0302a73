/** A link that cannot be paid, or could not be opened, with the ways to reach the merchant. */
import type { ComponentProps } from 'react';
import type { LinkPageQuery } from '../../../../generated/web/documents.ts';
import { PayeeContact } from '../../refunds/payee-contact.tsx';
import { EndCard } from '../cards/end-card.tsx';

type LinkEndProps = { offer: LinkPageQuery['linkOffer'] } & Omit<ComponentProps<typeof EndCard>, 'url' | 'children'>;

export function LinkEnd({ offer, ...end }: LinkEndProps) {
  return (
    <EndCard {...end} url={offer.cancelUrl}>
      <PayeeContact contact={offer.contact} payee={offer.appName} reference={null} />
    </EndCard>
  );
}

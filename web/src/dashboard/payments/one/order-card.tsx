/** The order: the items, the customer, and the link, invoice or subscription from which it was paid. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { PaymentSourceDocument } from '../../../../../generated/web/documents.ts';
import { Address } from '../../../ui/addresses/address.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { useAsk } from '../../session/use-ask.ts';
import { type Fact, FactList } from './fact-list.tsx';
import styles from './payment-page.module.css';
import type { PaymentStory } from './payment-steps.ts';

export function OrderCard({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  const source = useSource(payment);
  const { customerAccount: customer, authorizationWalletAddress: wallet, authorizationChainId: chainId } = payment;
  const facts: (Fact | null)[] = [
    customer
      ? [
          t('payments.facts.customer'),
          <Link key="customer" href={`/customers/${customer.id}`}>
            {customer.name ?? customer.email ?? customer.id}
          </Link>,
        ]
      : null,
    customer?.email && customer.name ? [t('payments.facts.email'), customer.email] : null,
    wallet ? [t('payments.facts.wallet'), <Address key="wallet" value={wallet} chainId={chainId} />] : null,
    customer || wallet ? null : [t('payments.facts.customer'), t('payments.order.nobody')],
    [t('payments.order.through'), source.way],
    payment.externalId === null ? null : [t('payments.facts.reference'), payment.externalId],
  ];
  return (
    <section aria-labelledby="order" className={styles.card} data-part="order">
      <h2 id="order">{t('payments.order.title')}</h2>
      <OrderLines payment={payment} fallback={source.bought} />
      <FactList facts={facts} />
    </section>
  );
}

function OrderLines({ payment, fallback }: { payment: PaymentStory; fallback: string | null }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const items = payment.checkoutSession?.items ?? [];
  if (items.length === 0)
    return <p className={fallback ? styles.bought : styles.soft}>{fallback ?? t('payments.order.nothing')}</p>;
  return (
    <ul className={styles.lines}>
      {items.map(({ id, name, quantity, amount, currency }) => (
        <li key={id}>
          <span className={styles.bought}>
            {quantity > 1 ? t('payments.order.times', { name, quantity: formats.count(quantity) }) : name}
          </span>
          <span>{formats.fiat(amount, currency)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The resource from which the payment was made, with its name, its page and its items. */
function useSource({ sourceType, sourceId, x402 }: PaymentStory): { way: ReactNode; bought: string | null } {
  const { t } = useTranslation();
  const isAsked = sourceId !== null && sourceType !== null && sourceType !== 'CHECKOUT';
  const { data } = useAsk(PaymentSourceDocument, { id: sourceId ?? '' }, { isEnabled: isAsked });
  const node = data?.node;
  if (x402) {
    const label = x402.scheme === 'exact' ? 'PAID_CALL_EXACT' : 'PAID_CALL';
    return { way: t(`payments.order.sources.${label}`), bought: x402.resource };
  }
  const kind = t(`payments.order.sources.${sourceType ?? 'API'}`);
  const named = (href: string, name: string, bought: string | null) => ({
    way: (
      <>
        {kind}: <Link href={href}>{name}</Link>
      </>
    ),
    bought,
  });
  switch (node?.__typename) {
    case 'PaymentLink':
      return named(`/links/${node.id}`, node.name, node.name);
    case 'Invoice':
      return named(
        `/invoices/${node.id}`,
        node.invoiceNumber ?? t('payments.order.draft'),
        node.items.map(({ description }) => description).join(', ') || null,
      );
    case 'Subscription':
      return named(`/subscriptions/${node.id}`, node.productPlan.name, node.productPlan.name);
    default:
      return { way: kind, bought: null };
  }
}

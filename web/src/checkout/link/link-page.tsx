/** A payment link before its checkout begins: what it costs, and what the payer must enter. Afterwards, the page shows the session. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LinkPageDocument } from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import { useDeferredFirstValue } from '../../ui/state/use-deferred-first-value.ts';
import { EndCard } from '../cards/end-card.tsx';
import { LoadingCard } from '../loading/loading-card.tsx';
import { PageFrame } from '../view/page-frame.tsx';
import { Summary } from '../view/summary.tsx';
import { UnknownPage } from '../view/unknown-page.tsx';
import { BeginForm, type BegunSession } from './begin-form.tsx';
import { isSoldOut } from './begin-input.ts';
import { LinkEnd } from './link-end.tsx';

type LinkPageProps = { slug: string; onBegun: (session: BegunSession) => void };

const RETRY_MS = 3_000;

export function LinkPage({ slug, onBegun }: LinkPageProps) {
  const [quantity, setQuantity] = useState<number>();
  const query = useQuery({
    queryKey: ['link', slug, quantity],
    queryFn: ({ signal }) =>
      ask(LinkPageDocument, { slug, ...(quantity ? { quantity } : {}) }, { signal: inTime(signal) }),
    // The form must keep the entered values while the price of another quantity is loaded.
    placeholderData: keepPreviousData,
    retry: false,
    refetchInterval: ({ state }) => (state.error && !isOver(state.error) ? RETRY_MS : false),
  });
  const offer = useDeferredFirstValue(query.data?.linkOffer);
  if (!offer) {
    if (query.error && isOver(query.error)) return <UnknownPage what="link" />;
    return (
      <PageFrame isLoading={!query.error}>
        {query.error ? <EndCard why="unreachable" url={null} retry={query.refetch} /> : <LoadingCard />}
      </PageFrame>
    );
  }
  const { amount, subtotal, taxAmount, discountAmount, couponName, currency, billingInterval } = offer;
  const total =
    amount && subtotal && taxAmount && currency
      ? { amount, subtotal, taxAmount, discountAmount, couponName, currency }
      : null;
  const line = {
    id: slug,
    name: offer.name,
    description: offer.description ?? null,
    amount: offer.unitAmount ?? '0.00',
    quantity: offer.quantity,
    imageUrl: offer.proxiedImageUrl ?? null,
  };
  const period = billingInterval
    ? { interval: billingInterval, count: offer.billingIntervalCount ?? 1, trialDays: offer.trialPeriodDays ?? null }
    : null;
  return (
    <PageFrame payee={offer} summary={<Summary total={total} lines={[line]} period={period} coupon={offer.coupon} />}>
      {!offer.isActive ? (
        <LinkEnd why="inactive" offer={offer} />
      ) : isSoldOut(offer) ? (
        <LinkEnd why="soldOut" offer={offer} retry={query.refetch} />
      ) : !offer.isPayable ? (
        <LinkEnd why="unpayable" offer={offer} retry={query.refetch} />
      ) : (
        <BeginForm slug={slug} offer={offer} onQuantity={setQuantity} onRefused={query.refetch} onBegun={onBegun} />
      )}
    </PageFrame>
  );
}

/** An error that a repeated request would not change. */
function isOver(error: Error): boolean {
  return error instanceof ApiError && !error.fault.retryable;
}

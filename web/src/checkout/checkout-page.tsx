/** A session, from its price to its receipt: queries the API and the wallet, and shows the resulting card. */
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CheckoutViewFragment } from '../../../generated/web/documents.ts';
import { useNow } from '../ui/formats/use-now.ts';
import { resumeWallet, useFoundWallets, useWallet } from '../wallet/evm/use-wallet.ts';
import { addWords } from '../words/open-words.ts';
import { CollectNote } from './cards/collect-note.tsx';
import { EndCard } from './cards/end-card.tsx';
import { PayingCards } from './cards/paying-cards.tsx';
import { ProgressCard } from './cards/progress-card.tsx';
import { ReceiptCard } from './cards/receipt-card.tsx';
import { SessionEnd } from './cards/session-end.tsx';
import { UnsureCard } from './cards/unsure-card.tsx';
import { CloseWay } from './embed/close-way.tsx';
import { frame } from './embed/frame.ts';
import { framedView } from './embed/frame-outcome.ts';
import { useFrame } from './embed/use-frame.ts';
import { WindowWay } from './embed/window-way.tsx';
import { LoadingCard } from './loading/loading-card.tsx';
import { progressFacts } from './pay/progress-facts.ts';
import { useBringing, usePayment } from './pay/use-payment.ts';
import { useTransactionLookup } from './pay/use-transaction-lookup.ts';
import { useWays } from './pay/use-ways.ts';
import { sessionFacts } from './session/session-facts.ts';
import { type SessionName, useCheckout } from './session/use-checkout.ts';
import { type View, viewOf } from './steps.ts';
import { liveTransfer } from './transfer/live-transfer.ts';
import { MeteringTerms } from './view/metering-terms.tsx';
import { PageFrame } from './view/page-frame.tsx';
import { Summary } from './view/summary.tsx';
import { UnknownPage } from './view/unknown-page.tsx';

/** The message where the next attempt begins, regardless of the wallet. */
const earlierAttempts = new Set(['NOT_SEEN', 'TX_FAILED', 'UNSURE']);

const SolanaCard = lazy(async () => {
  const [{ SolanaCard: card }] = await Promise.all([import('./solana/solana-card.tsx'), addWords(['solana'])]);
  return { default: card };
});

const TransferCard = lazy(async () => {
  const [{ TransferCard: card }] = await Promise.all([import('./transfer/transfer-card.tsx'), addWords(['transfer'])]);
  return { default: card };
});

const TransferNote = lazy(async () => {
  const [{ TransferNote: note }] = await Promise.all([import('./transfer/transfer-note.tsx'), addWords(['transfer'])]);
  return { default: note };
});

export function CheckoutPage({ session }: { session: SessionName }) {
  const reading = useCheckout(session);
  const wallet = useWallet();
  const wallets = useFoundWallets();
  const [isOnSolana, setOnSolana] = useState(false);
  const [isSolanaSending, setSolanaSending] = useState(false);
  const [wantsTransfer, setWantsTransfer] = useState<boolean>();
  const now = useNow(1_000).getTime() + reading.clockOffsetMs;
  const view = useMemo(() => (frame ? framedView(reading.view) : reading.view), [reading.view]);
  useEffect(() => void resumeWallet(), []);

  const exactNow = () => Date.now() + reading.clockOffsetMs;
  const payment = usePayment(session, { view, wallet, now: exactNow, refetch: reading.ask });
  const isPayable =
    view?.session.status === 'OPEN' && (!view.attempt || view.attempt.quoteId === payment.abandonedQuoteId);
  const ways = useWays(session, { isAsked: isPayable, wallet, chosen: payment });
  useBringing(ways.isThere && wallet.address !== undefined && !ways.isReading);
  const look = useTransactionLookup(view, payment, exactNow);

  const seen = viewOf({
    now,
    session: useMemo(() => view && sessionFacts(view), [view]),
    loadFault: reading.fault,
    wallet,
    foundWallets: wallets.length,
    way: ways.facts,
    prepared: payment.prepared,
    sent: payment.sent,
    unsureUntil: payment.unsureUntil,
    abandonedQuoteId: payment.abandonedQuoteId,
    work: payment.work ?? (isSolanaSending ? 'sending' : undefined),
    fault: payment.fault,
  });
  const paidAt = useArrival(seen);
  useFrame(seen, view);

  if (seen.card === 'unknown') return <UnknownPage what="session" />;
  if (!view) {
    return (
      <PageFrame isLoading={seen.card !== 'unreachable'}>
        {seen.card === 'unreachable' ? <EndCard why="unreachable" url={null} retry={reading.ask} /> : <LoadingCard />}
      </PageFrame>
    );
  }
  const transfer = liveTransfer(view, now);
  // A transfer may arrive after the end of the session, and a returning payer must find the address again.
  const isTransferring =
    transfer && seen.card === 'expired' ? true : (wantsTransfer ?? transfer !== undefined) && isUndecided(seen);
  // Payers should not connect a wallet in vain. A payer with a locked price still sees its outcome.
  const isUnpayable = ways.isUnpayable && !isTransferring && (seen.card === 'wallet' || seen.card === 'way');
  const isChoosing = !isTransferring && !isUnpayable && isUndecided(seen);
  const isSolanaAlone = ways.isThere && ways.all.length === 0;
  // The offer changes with prices and pauses. A payer who has begun to pay stays on the same card.
  if (isSolanaAlone && ways.solana.length > 0 && seen.card !== 'sign' && !payment.work && !isOnSolana)
    setOnSolana(true);
  return (
    <PageFrame payee={view} summary={<SessionSummary view={view} />} isReceipt={seen.card === 'receipt'}>
      <CardAnnouncement seen={seen} />
      <div data-card={isTransferring ? 'transfer' : seen.card}>
        {isTransferring && (
          <Suspense fallback={<LoadingCard />}>
            <TransferCard
              session={session}
              view={view}
              options={ways.transfers}
              transfer={transfer}
              now={now}
              back={seen.card === 'expired' ? undefined : () => setWantsTransfer(false)}
              refetch={reading.ask}
            />
          </Suspense>
        )}
        {isUnpayable && <SessionEnd view={view} why="unpayable" retry={ways.ask} />}
        {isChoosing && isOnSolana ? (
          <Suspense fallback={<LoadingCard />}>
            <SolanaCard
              session={session}
              options={ways.solana}
              now={now}
              exactNow={exactNow}
              notice={payment.fault && earlierAttempts.has(payment.fault) ? payment.fault : undefined}
              back={isSolanaAlone ? undefined : () => setOnSolana(false)}
              refetch={reading.ask}
              hasSent={payment.hasSent}
              doubt={payment.doubt}
              onSending={setSolanaSending}
            />
          </Suspense>
        ) : (
          isChoosing && (
            <PayingCards
              sessionName={session}
              seen={seen}
              view={view}
              wallets={wallets}
              wallet={wallet}
              payment={payment}
              ways={ways}
              now={now}
              solana={ways.solana.length > 0 ? () => setOnSolana(true) : undefined}
              transfer={ways.transfers.length > 0 ? () => setWantsTransfer(true) : undefined}
            />
          )
        )}
        {frame && isChoosing && (
          <WindowWay sessionId={session.id} isOnlyWay={seen.card === 'wallet' && wallets.length === 0} />
        )}
        {seen.card === 'unsure' && <UnsureCard until={new Date(seen.until)} notice={seen.notice} deny={payment.deny} />}
        {seen.card === 'progress' && (
          <ProgressCard
            {...seen}
            {...progressFacts({ view, payment, look, isOld: reading.fault !== undefined, now })}
            notice={seen.notice}
          />
        )}
        {seen.card === 'receipt' && (
          <ReceiptCard
            view={view}
            outcome={seen.outcome}
            notice={seen.notice}
            paidAt={paidAt}
            credential={session.credential}
          />
        )}
        {frame?.close && seen.card === 'receipt' && <CloseWay name={view.appName} close={frame.close} />}
        {!isTransferring && seen.card === 'expired' && <SessionEnd view={view} why="expired" />}
        {seen.card === 'over' && <SessionOver view={view} why={seen.why} />}
        {view.payment?.transfer && !isTransferring && !isChoosing && (
          <Suspense fallback={null}>
            <TransferNote payment={view.payment} />
          </Suspense>
        )}
      </div>
    </PageFrame>
  );
}

function SessionOver({ view, why }: { view: CheckoutViewFragment; why: 'CANCELLED' | 'FAILED' }) {
  return (
    <>
      <SessionEnd view={view} why={why === 'FAILED' ? 'failed' : 'cancelled'} />
      <CollectNote payment={view.payment} />
    </>
  );
}

/** The payer has not begun to pay with a wallet yet, or is doing so. */
function isUndecided({ card }: View): boolean {
  return card === 'wallet' || card === 'way' || card === 'sign';
}

/** The announcement for screen readers when another card is shown. The cards themselves change too often. */
function CardAnnouncement({ seen }: { seen: View }) {
  const { t } = useTranslation();
  return (
    <p className="visually-hidden" role="status">
      {titleOf()}
    </p>
  );

  function titleOf(): string {
    switch (seen.card) {
      case 'progress':
        return t(`checkout.progress.title.${seen.stage}`);
      case 'receipt':
        return t(`checkout.receipt.title.${seen.outcome}`);
      case 'wallet':
      case 'way':
      case 'sign':
      case 'unsure':
        return t(`checkout.${seen.card}.title`);
      default:
        return '';
    }
  }
}

function SessionSummary({ view }: { view: CheckoutViewFragment }) {
  const { session, subscription } = view;
  const isRenewal = session.purpose === 'CONSENT_RENEWAL';
  const interval = subscription?.billingInterval;
  const period =
    subscription && interval
      ? {
          interval,
          count: subscription.billingIntervalCount,
          trialDays: isRenewal ? null : (subscription.trialPeriodDays ?? null),
        }
      : null;
  return (
    <Summary
      total={session}
      coupon={session.coupon}
      lines={session.items.map((item) => ({
        ...item,
        description: item.description ?? null,
        imageUrl: item.proxiedImageUrl ?? null,
      }))}
      period={period}
    >
      {subscription?.metering && period && (
        <MeteringTerms metering={subscription.metering} currency={session.currency} period={period} />
      )}
    </Summary>
  );
}

/** When the receipt appeared on the open page; undefined if the page was opened with it. */
function useArrival({ card }: View): number | undefined {
  const [wasOpen, setWasOpen] = useState(false);
  const [arrivedAt, setArrivedAt] = useState<number>();
  if (card !== 'receipt' && card !== 'loading' && !wasOpen) setWasOpen(true);
  if (card === 'receipt' && wasOpen && arrivedAt === undefined) setArrivedAt(Date.now());
  if (card === 'progress' && arrivedAt !== undefined) setArrivedAt(undefined);
  return arrivedAt;
}

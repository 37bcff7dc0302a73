/** The cards on which the payer acts, with the button. */
import { useTranslation } from 'react-i18next';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { disconnectWallet, type FoundWallet, stopResuming, type WalletState } from '../../wallet/evm/use-wallet.ts';
import { isBatched } from '../pay/is-batched.ts';
import type { Payment } from '../pay/use-payment.ts';
import type { Ways } from '../pay/use-ways.ts';
import type { Priced } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';
import type { View } from '../steps.ts';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';
import { useCouponTerms } from '../view/use-coupon-terms.ts';
import { useOften } from '../view/use-often.ts';
import waysStyles from '../ways/ways.module.css';
import { OtherWays } from './other-ways.tsx';
import { SignCard } from './sign-card.tsx';
import { canStartOver, StartOver } from './start-over.tsx';
import { stepAction } from './step-words.ts';
import { WalletCard } from './wallet-card.tsx';
import { WayCard } from './way-card.tsx';

type PayingCardsProps = {
  sessionName: SessionName;
  seen: View;
  view: CheckoutViewFragment;
  wallet: WalletState;
  wallets: readonly FoundWallet[];
  payment: Payment;
  ways: Ways;
  now: number;
  solana: (() => void) | undefined;
  transfer: (() => void) | undefined;
};

export function PayingCards(props: PayingCardsProps) {
  const { sessionName, seen, view, wallet, wallets, payment, ways, now, solana, transfer } = props;
  const { t } = useTranslation();
  const formats = useFormats();
  const { session, subscription } = view;
  const interval = subscription?.billingInterval;
  const period =
    session.mode === 'SUBSCRIPTION' && interval
      ? { interval, count: subscription.billingIntervalCount, trialDays: null }
      : null;
  const often = useOften(period);
  const couponTerms = useCouponTerms(session.coupon, { period, currency: session.currency });
  const { prepared } = payment;
  const way = seen.card === 'sign' ? prepared : ways.chosen;
  const name = seen.notice ?? (seen.card === 'way' ? (ways.fault ?? ways.lack) : undefined);
  const notice = name && <Notice name={name} values={{ chain: way?.chainName ?? '', wallet: wallet.name ?? '' }} />;
  const who = <Who wallet={wallet} isBusy={payment.work !== undefined} />;
  const foot = (
    <>
      <div className={waysStyles.dock}>
        <PrimaryButton seen={seen} payment={payment} ways={ways} way={way} wallet={wallet} />
      </div>
      {payment.work && canStartOver(payment.work) ? (
        <StartOver work={payment.work} startOver={payment.startOver} />
      ) : (
        <OtherWays card={seen.card} ways={ways} payment={payment} />
      )}
      {seen.card === 'way' && transfer && (
        <Button look="bare" isWide isDisabled={payment.work !== undefined} onPress={transfer}>
          {t('checkout.wallet.transfer')}
        </Button>
      )}
      <CancelLink view={view} />
    </>
  );
  if (seen.card === 'wallet') {
    const isBusy = payment.work === 'connecting' || wallet.status === 'reconnecting';
    return (
      <div className={styles.stack}>
        <WalletCard
          {...{ wallets, isBusy, solana, transfer }}
          session={sessionName}
          expectedWays={ways.isThere || ways.fault ? 0 : expectedWays(view)}
          notice={seen.notice}
          connect={payment.connect}
          startOver={() => {
            payment.startOver();
            stopResuming();
          }}
        />
        <CancelLink view={view} />
      </div>
    );
  }
  if (seen.card === 'sign' && prepared) {
    const isRenewal = session.purpose === 'CONSENT_RENEWAL';
    const isTrial = session.paymentIntentId === null || session.paymentIntentId === undefined;
    return (
      <SignCard
        {...{ prepared, now, often, isTrial, isRenewal, couponTerms, notice, who }}
        isBatch={isBatched(payment, ways)}
        done={payment.done}
        disputeSeconds={view.disputeSeconds}
      >
        {foot}
      </SignCard>
    );
  }
  return (
    <WayCard
      {...{ notice, who, ways }}
      isBusy={payment.work !== undefined}
      fiat={formats.fiat(session.amount, session.currency)}
      choose={payment.choose}
    >
      {foot}
    </WayCard>
  );
}

/** A transfer, and a payment on Solana if the merchant is paid there. Neither can start a subscription. */
function expectedWays({ session, payees }: CheckoutViewFragment): number {
  if (session.mode === 'SUBSCRIPTION') return 0;
  return payees.some(({ family }) => family === 'SOLANA') ? 2 : 1;
}

function Who({ wallet, isBusy }: { wallet: WalletState; isBusy: boolean }) {
  const { t } = useTranslation();
  if (!wallet.address) return null;
  return (
    <div className={styles.who}>
      <Address value={wallet.address} isBare />
      <Button
        look="bare"
        size="small"
        isDisabled={isBusy}
        onPress={disconnectWallet}
        title={t('checkout.wallet.otherOf')}
      >
        {t('checkout.wallet.other')}
      </Button>
    </div>
  );
}

function CancelLink({ view }: { view: CheckoutViewFragment }) {
  const { t } = useTranslation();
  const { cancelUrl } = view.session;
  if (!cancelUrl) return null;
  return (
    <ButtonLink look="bare" isWide href={cancelUrl}>
      {t('checkout.cancel')}
    </ButtonLink>
  );
}

type PrimaryButtonProps = {
  seen: View;
  payment: Payment;
  ways: Ways;
  way: Priced | undefined;
  wallet: WalletState;
};

/** The button names the next action, and the progress of the action while it runs. */
function PrimaryButton({ seen, payment, ways, way, wallet }: PrimaryButtonProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { primary } = seen;
  if (!primary) return null;
  const amount = way ? `${formats.token(way.cryptoAmount, way.decimals).words} ${way.symbol}` : '';
  const method = payment.prepared && seen.card === 'sign' ? payment.prepared.method : ways.method;
  const prepare = async () => {
    if (way && method) await payment.prepare({ ...way, method });
  };
  const isBatch = payment.prepared !== undefined && isBatched(payment, ways);
  const sign = async () => await payment.sign(isBatch);
  const presses = {
    connect: { words: '', press: async () => undefined },
    retry: { words: t('everywhere.tryAgain'), press: async () => undefined },
    switch: {
      words: t('checkout.do.switch', { chain: way?.chainName ?? '' }),
      press: async () => (seen.card === 'sign' ? await sign() : await prepare()),
    },
    prepare: { words: amount === '' ? t('checkout.do.choose') : t('checkout.do.prepare', { amount }), press: prepare },
    requote: {
      words: t('checkout.do.requote'),
      press: async () => {
        if (way && method) await payment.requote({ ...way, method });
      },
    },
    sign: { words: signWords(), press: sign },
  };
  function signWords(): string {
    const step = isBatch ? payment.prepared?.steps.at(-1) : payment.prepared?.steps[payment.done];
    const { name, approved } = stepAction(step);
    const shown = way && approved !== null ? `${formats.token(approved, way.decimals).words} ${way.symbol}` : amount;
    return t(`checkout.do.${name}`, { amount: shown });
  }
  const { words, press } = presses[primary.action];
  return (
    <Button
      look="primary"
      size="large"
      isWide
      isBusy={primary.isBusy}
      busyWords={payment.work && t(`checkout.busy.${payment.work}`, { wallet: wallet.name ?? '' })}
      isDisabled={primary.isOff}
      onPress={press}
      data-action={primary.action}
    >
      {words}
    </Button>
  );
}

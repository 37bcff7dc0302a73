/** Everything that a wallet has in the escrow, most urgent first. */
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Address } from 'viem';
import type { Credential } from '../../api/ask.ts';
import { settings } from '../../settings.ts';
import { Button } from '../../ui/button/button.tsx';
import { Empty } from '../../ui/state/empty.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { heldCredits } from '../holdings/held-credits.ts';
import { type Holdings, noHoldings } from '../holdings/holding.ts';
import { isOpen } from '../holdings/payment-outlook.ts';
import { AllowanceRow } from './allowance-row.tsx';
import { ConsentCard } from './consent-card.tsx';
import { CreditCard } from './credit-card.tsx';
import { type Acting, chainNow, stateOfPayment } from './known-state.ts';
import styles from './payer.module.css';
import { PaymentCard } from './payment-card.tsx';
import { SearchChain } from './search-chain.tsx';
import { SourceNote } from './source-note.tsx';
import { forgetHoldings, useHoldings } from './use-holdings.ts';

type HoldingsPageProps = { wallet: Address; credential: Credential | null; onSignedOut: () => void };

export function HoldingsPage({ wallet, credential, onSignedOut }: HoldingsPageProps) {
  const { t } = useTranslation();
  const [found, setFound] = useState<Holdings>(noHoldings);
  const known = useHoldings(wallet, credential, found);
  const acting: Acting = { wallet, credential, gateway: known.gateway, refresh: known.refresh };
  const isWaiting = known.gateway === 'ASKING' || !known.isRead;
  const onChain = new Map([...known.chains].map(([chainId, states]) => [chainId, states.credits]));
  const credits = heldCredits(known, onChain);
  const payments = known.payments.map((payment) => {
    const states = known.chains.get(payment.chainId);
    const hasCredit = credits.some(({ from }) => from.includes(payment));
    return { payment, hasCredit, now: chainNow(states), ...stateOfPayment(payment, states) };
  });
  const open = payments.filter(({ state }) => state === null || isOpen(state));
  const closed = payments.filter(({ state }) => state !== null && !isOpen(state));
  const allowances = allowancesOf(known);
  const isEmpty = payments.length + known.consents.length + allowances.length + credits.length === 0;

  return (
    <>
      <div className={styles.head}>
        <h1>{t('payer.title')}</h1>
        <Button
          look="bare"
          size="small"
          onPress={() => {
            forgetHoldings(wallet);
            onSignedOut();
          }}
        >
          {t('payer.signOut')}
        </Button>
      </div>
      <SourceNote known={known} onSignIn={onSignedOut} />
      {isWaiting && isEmpty && <Skeleton lines={4} height={24} />}
      {!isWaiting && isEmpty && <Empty title={t('payer.empty.title')}>{t('payer.empty.words')}</Empty>}
      {credits.length > 0 && (
        <Section title={t('payer.credits.title')} about={t('payer.credits.about')}>
          {credits.map((credit) => (
            <CreditCard key={credit.key} credit={credit} acting={acting} />
          ))}
        </Section>
      )}
      {open.length > 0 && (
        <Section title={t('payer.open.title')} about={t('payer.open.about')}>
          {open.map((one) => (
            <PaymentCard key={one.payment.key} {...one} acting={acting} />
          ))}
        </Section>
      )}
      {known.consents.length > 0 && (
        <Section title={t('payer.consents.title')} about={t('payer.consents.about')}>
          {known.consents.map((consent) => (
            <ConsentCard
              key={consent.key}
              consent={consent}
              isRevoked={
                known.chains.get(consent.chainId)?.consents.get(consent.key) ?? consent.reported?.isRevoked ?? false
              }
              acting={acting}
            />
          ))}
        </Section>
      )}
      {allowances.length > 0 && (
        <Section title={t('payer.allowances.title')} about={t('payer.allowances.about')}>
          {allowances.map((allowance) => (
            <AllowanceRow key={allowance.key} allowance={allowance} acting={acting} />
          ))}
        </Section>
      )}
      {closed.length > 0 && (
        <Section title={t('payer.closed.title')}>
          {closed.map((one) => (
            <PaymentCard key={one.payment.key} {...one} acting={acting} />
          ))}
        </Section>
      )}
      <SearchChain
        wallet={wallet}
        onFound={setFound}
        isWanted={known.gateway !== 'ANSWERS' && known.gateway !== 'ASKING'}
      />
      {settings.chains.some(({ family }) => family === 'SOLANA') && <p className={styles.soft}>{t('payer.solana')}</p>}
    </>
  );
}

/** As read from the chain, or as reported by the gateway for a chain that could not be read. */
function allowancesOf(known: ReturnType<typeof useHoldings>) {
  const read = [...known.chains.values()].flatMap((states) => states.allowances);
  return [...read, ...known.allowances.filter(({ chainId }) => !known.chains.has(chainId))];
}

function Section({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <h2>{title}</h2>
      {about && <p className={styles.soft}>{about}</p>}
      <div className={styles.rows}>{children}</div>
    </section>
  );
}

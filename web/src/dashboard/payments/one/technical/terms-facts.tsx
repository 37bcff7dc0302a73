/** The signed terms of a payment, and how the payer agreed to them. */
import { useTranslation } from 'react-i18next';
import { tokenOf } from '../../../../settings.ts';
import { Address } from '../../../../ui/addresses/address.tsx';
import { useFormats } from '../../../../ui/formats/use-formats.ts';
import { Time } from '../../../../ui/state/time.tsx';
import { FactList } from '../fact-list.tsx';
import styles from '../payment-page.module.css';
import type { PaymentStory } from '../payment-steps.ts';

export function TermsFacts({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const accepted = payment.terms.find((terms) => terms.accepted);
  return (
    <section aria-labelledby="terms" className={styles.card}>
      <h2 id="terms">{t('payments.facts.terms')}</h2>
      <FactList
        facts={[
          accepted ? [t('payments.facts.hash'), <Address key="hash" value={accepted.hash} kind="transaction" />] : null,
          accepted ? [t('payments.facts.token'), tokenOf(accepted.tokenKey)?.name ?? accepted.tokenKey] : null,
          payment.authorizationMethod
            ? [t('payments.facts.method'), t(`payments.facts.methods.${payment.authorizationMethod}`)]
            : null,
          accepted
            ? [
                t('payments.facts.signed'),
                t(accepted.signedByPayer ? 'payments.facts.signedByBoth' : 'payments.facts.signedByOperator'),
              ]
            : null,
          [t('payments.facts.capture'), t(`payments.facts.captureModes.${payment.captureMode}`)],
          [t('payments.facts.timelock'), formats.span(payment.timelockDuration)],
          [t('payments.facts.disputes'), formats.span(payment.disputeStartDuration)],
          [t('payments.facts.termsCount'), formats.count(payment.terms.length)],
          [t('payments.facts.created'), <Time key="created" at={payment.createdAt} isAbsolute />],
        ]}
      />
    </section>
  );
}

/** A payment in progress: sent, seen with its confirmations, authorized, captured. */
import { useTranslation } from 'react-i18next';
import { Address } from '../../ui/addresses/address.tsx';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Steps } from '../../ui/state/steps.tsx';
import { progressSteps } from '../pay/progress-steps.ts';
import type { Stage } from '../steps.ts';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';

type ProgressCardProps = {
  stage: Stage;
  txHash: string | null;
  /** Without an escrow this payment service holds the money itself. */
  chain: { chainId: number; name: string; escrow: string | null } | undefined;
  confirmations: { count: number; of: number } | undefined;
  /** Held until the merchant captures it, so the page does not wait for the capture. */
  isHeld: boolean;
  notice: string | undefined;
  /** The payment was not seen for a long time, and may still appear until this time. */
  lateUntil: Date | undefined;
  /** The payment should have appeared by now, and its state is unknown. */
  isUncertain: boolean;
  /** Lets the payer give up this attempt, which can no longer succeed. */
  again: (() => void) | undefined;
};

export function ProgressCard(props: ProgressCardProps) {
  const { stage, txHash, chain, confirmations, isHeld, notice, lateUntil, isUncertain, again } = props;
  const { t } = useTranslation();
  const formats = useFormats();
  const values = { chain: chain?.name ?? '', confirmed: confirmations?.count, required: confirmations?.of };
  return (
    <div className={styles.stack} data-stage={stage}>
      <CardHead icon="clock" tone="wait" title={t(`checkout.progress.title.${stage}`)}>
        {t(`checkout.progress.words.${stage}`)}
      </CardHead>
      <Steps
        label={t(`checkout.progress.title.${stage}`)}
        steps={progressSteps({ stage, confirmations, isInEscrow: chain?.escrow !== null, isHeld }).map(
          ({ name, state }) => ({ key: name, state, title: t(`checkout.progress.${name}`, values) }),
        )}
      />
      {txHash && (
        <dl className={styles.facts}>
          <dt>{t('checkout.transaction')}</dt>
          <dd>
            <Address value={txHash} kind="transaction" chainId={chain?.chainId} />
          </dd>
        </dl>
      )}
      {notice && <Notice name={notice} />}
      {lateUntil && (
        <p className={styles.small} role="status">
          {t('checkout.progress.late', { until: formats.clock(lateUntil) })}
        </p>
      )}
      {isUncertain && (
        <p className={styles.small} role="status">
          {t('checkout.progress.uncertain')}
        </p>
      )}
      {again && (
        <div className={styles.actions}>
          <p className={styles.small}>{t('checkout.progress.lost')}</p>
          <Button isWide onPress={again}>
            {t('checkout.progress.again')}
          </Button>
        </div>
      )}
    </div>
  );
}

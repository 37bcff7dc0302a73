/** Shown if the wallet did not report whether it sent the payment. Nothing more is requested until the payer confirms that it did not. */
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';

type UnsureCardProps = {
  /** The time until which the payment may appear. */
  until: Date;
  notice: string | undefined;
  deny: () => void;
};

export function UnsureCard({ until, notice, deny }: UnsureCardProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <div className={styles.stack}>
      <CardHead icon="clock" tone="wait" title={t('checkout.unsure.title')}>
        {t('checkout.unsure.words')}
      </CardHead>
      <p className={styles.small}>{t('checkout.unsure.until', { until: formats.clock(until) })}</p>
      {notice && <Notice name={notice} />}
      <div className={styles.actions}>
        <Button isWide onPress={deny}>
          {t('checkout.unsure.deny')}
        </Button>
      </div>
    </div>
  );
}

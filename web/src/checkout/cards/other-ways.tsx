/** Collapsed by default: the other methods that the token supports, and the link back to the choice. */
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import type { Payment } from '../pay/use-payment.ts';
import type { Ways } from '../pay/use-ways.ts';
import styles from '../view/cards.module.css';

type OtherWaysProps = { card: string; ways: Ways; payment: Payment };

export function OtherWays({ card, ways, payment }: OtherWaysProps) {
  const { t } = useTranslation();
  const { chosen, method } = ways;
  const isBusy = payment.work !== undefined;
  if (card === 'sign') {
    return (
      <Button look="bare" isWide isDisabled={isBusy} onPress={payment.drop}>
        {t('checkout.way.change')}
      </Button>
    );
  }
  if (!chosen || chosen.methods.length < 2) return null;
  return (
    <details className={styles.others}>
      <summary>{t('checkout.way.others')}</summary>
      <div className={styles.list} role="radiogroup" aria-label={t('checkout.way.others')}>
        {chosen.methods.map((one) => (
          <label key={one} className={styles.choice} data-method={one}>
            <input
              type="radio"
              name="method"
              value={one}
              checked={one === method}
              disabled={isBusy}
              onChange={() => payment.choose(chosen.tokenKey, one)}
            />
            <span className={styles.choiceName}>{t(`checkout.method.${one}.name`)}</span>
            <span />
            <span className={styles.choiceNote}>{t(`checkout.method.${one}.words`)}</span>
          </label>
        ))}
      </div>
    </details>
  );
}

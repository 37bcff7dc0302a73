/** Back to the shop, which is the page around the dialog. */
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import styles from './window-way.module.css';

export function CloseWay({ name, close }: { name: string; close: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.way}>
      <Button look="primary" size="large" isWide onPress={close}>
        {t('checkout.receipt.back', { name })}
      </Button>
    </div>
  );
}

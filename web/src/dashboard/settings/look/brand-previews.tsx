/** Previews of the hosted page, the receipt, an email and an invoice with the brand in the form, side by side. */
import { type CSSProperties, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Mode, readableAccent, surfaces } from '../../../../../src/catalog/accent.ts';
import { Select } from '../../../ui/fields/select.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Icon } from '../../../ui/icon.tsx';
import { MerchantMark } from '../../../ui/merchant-mark.tsx';
import type { BrandTexts } from './brand-texts.ts';
import styles from './look.module.css';

type BrandPreviewsProps = { name: string; logo: string | null; colour: string; brandTexts: BrandTexts };

const AMOUNT = { amount: '12.50', currency: 'EUR' } as const;

export function BrandPreviews({ name, logo, colour, brandTexts }: BrandPreviewsProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [mode, setMode] = useState<Mode>('light');
  const shade = readableAccent(colour, surfaces[mode]);
  const amount = formats.fiat(AMOUNT.amount, AMOUNT.currency);
  const style: CSSProperties & Record<`--${string}`, string | undefined> = {
    '--preview-accent': shade?.accent,
    '--preview-on-accent': shade?.onAccent,
  };
  const head = (
    <div className={styles.payee}>
      <MerchantMark name={name} logoUrl={logo} />
      <strong>{name}</strong>
    </div>
  );
  const line = (
    <dl className={styles.line}>
      <dt>{t('settings.look.sample.item')}</dt>
      <dd>{amount}</dd>
    </dl>
  );
  return (
    <>
      <div className={styles.mode}>
        <Select
          label={t('settings.look.mode')}
          value={mode}
          onChange={setMode}
          options={(['light', 'dark'] as const).map((value) => ({ value, words: t(`settings.look.modes.${value}`) }))}
        />
      </div>
      <ul className={styles.previews} data-mode={mode} style={style}>
        <Preview kind="checkout">
          {head}
          {brandTexts.checkoutHeading.trim() && <p className={styles.heading}>{brandTexts.checkoutHeading}</p>}
          {brandTexts.checkoutMessage.trim() && <p className={styles.soft}>{brandTexts.checkoutMessage}</p>}
          {line}
          <span className={styles.button}>{t('settings.look.sample.pay', { amount })}</span>
        </Preview>
        <Preview kind="receipt">
          {head}
          <p className={styles.heading}>
            <Icon name="check" /> {t('settings.look.sample.paid')}
          </p>
          {brandTexts.receiptMessage.trim() && <p className={styles.soft}>{brandTexts.receiptMessage}</p>}
          {line}
          <span className={styles.button}>{t('settings.look.sample.back', { name })}</span>
        </Preview>
        <Preview kind="email">
          <div className={styles.bar} />
          {head}
          <p className={styles.heading}>{t('settings.look.sample.youPaid', { amount })}</p>
          {brandTexts.receiptMessage.trim() && <p className={styles.soft}>{brandTexts.receiptMessage}</p>}
          {line}
          <span className={styles.button}>{t('settings.look.sample.invoice')}</span>
          {brandTexts.footerText.trim() && <p className={styles.foot}>{brandTexts.footerText}</p>}
        </Preview>
        <Preview kind="invoice">
          <div className={styles.bar} />
          {head}
          <p className={styles.heading}>{t('settings.look.sample.number')}</p>
          {line}
          <dl className={styles.line}>
            <dt>{t('settings.look.sample.total')}</dt>
            <dd>
              <strong>{amount}</strong>
            </dd>
          </dl>
          <span className={styles.button}>{t('settings.look.sample.pay', { amount })}</span>
          {brandTexts.footerText.trim() && <p className={styles.foot}>{brandTexts.footerText}</p>}
        </Preview>
      </ul>
    </>
  );
}

function Preview({ kind, children }: { kind: 'checkout' | 'receipt' | 'email' | 'invoice'; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <li className={styles.item}>
      <h3 className={styles.kind}>{t(`settings.look.kinds.${kind}`)}</h3>
      <div className={styles.paper} data-preview={kind}>
        {children}
      </div>
    </li>
  );
}

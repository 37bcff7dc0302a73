/** A choice of one of the app's active coupons, or none. */
import { useTranslation } from 'react-i18next';
import { CouponChoicesDocument } from '../../../../generated/web/documents.ts';
import { Select } from '../../ui/fields/select.tsx';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { useCouponWords } from './use-coupon-words.ts';

type CouponChoiceProps = {
  value: string;
  /** The coupon that is already selected, which may be archived. */
  present?: { id: string; name: string } | null | undefined;
  onChange: (id: string) => void;
  error: string | undefined;
};

export function CouponChoice({ value, present, onChange, error }: CouponChoiceProps) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const couponWords = useCouponWords();
  const { data } = useAsk(CouponChoicesDocument, { appId: app.id });
  const active = (data?.coupons.nodes ?? []).filter((coupon) => coupon !== null && coupon !== undefined);
  const archived = present && !active.some(({ id }) => id === present.id) ? [present] : [];
  return (
    <Select
      label={t('links.coupon.choice')}
      value={value}
      onChange={onChange}
      error={error}
      options={[
        { value: '', words: t('links.coupon.none') },
        ...archived.map(({ id, name }) => ({ value: id, words: name })),
        ...active.map((coupon) => ({ value: coupon.id, words: `${coupon.name} · ${couponWords(coupon)}` })),
      ]}
    />
  );
}

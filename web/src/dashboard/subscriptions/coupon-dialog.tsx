/** Applies a coupon to the next invoices of a subscription. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SubscriptionApplyCouponDocument } from '../../../../generated/web/documents.ts';
import { useFaults } from '../../ui/fields/form/use-faults.ts';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { CouponChoice } from '../coupons/coupon-choice.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';

const params = ['couponId'] as const;

export function CouponDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const showToast = useToasts();
  const [couponId, setCoupon] = useState('');
  const apply = useApiMutation(SubscriptionApplyCouponDocument);
  const faults = useFaults(apply.error, params);
  const send = () =>
    apply.mutate(
      { id, input: { couponId } },
      {
        onSuccess: () => {
          showToast({ title: t('subscriptions.couponApplied') });
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={t('subscriptions.applyCoupon')}
      about={t('subscriptions.applyCouponAbout')}
      action={t('subscriptions.applyCouponAction')}
      onClose={onClose}
      onSend={send}
      isBusy={apply.isPending}
      isDisabled={couponId === ''}
      error={faults.rest}
    >
      <CouponChoice value={couponId} onChange={setCoupon} error={faults.at('couponId')} />
    </FormDialog>
  );
}

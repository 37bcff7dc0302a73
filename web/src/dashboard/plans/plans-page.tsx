/** The products of the app: plans with their prices. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { PlanListDocument } from '../../../../generated/web/documents.ts';
import { Button, buttonClass } from '../../ui/button/button.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { FilterSelect } from '../resources/filter-select.tsx';
import { isBare, ResourceList } from '../resources/resource-list.tsx';
import styles from '../resources/resources.module.css';
import { useAskPages } from '../resources/use-ask-pages.ts';
import { useFilter } from '../resources/use-filter.ts';
import { usePriceWords } from '../resources/use-price-words.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { PlanForm } from './plan-form.tsx';

export function PlansPage() {
  const { t } = useTranslation();
  const { app, mayWrite } = useDashboard();
  const [planType, setPlanType] = useFilter('type', ['ONE_TIME', 'SUBSCRIPTION'] as const);
  const [state, setState] = useFilter('state', ['active', 'archived'] as const);
  const [isCreating, setCreating] = useState(false);
  const { priceWords } = usePriceWords();
  const list = useAskPages(
    PlanListDocument,
    { appId: app.id, ...(planType ? { planType } : {}), ...(state ? { isActive: state === 'active' } : {}) },
    (result) => result.productPlans,
  );
  const create = mayWrite && (
    <Button look="primary" icon="plus" onPress={() => setCreating(true)}>
      {t('catalog.plan.new')}
    </Button>
  );
  return (
    <PageFrame
      title={t('catalog.plan.title')}
      about={t('catalog.plan.about')}
      actions={
        <>
          <Link href="/plans/taxes" className={buttonClass({})}>
            {t('catalog.tax.title')}
          </Link>
          {!isBare(list, planType !== undefined || state !== undefined) && create}
        </>
      }
    >
      <ResourceList
        caption={t('catalog.plan.title')}
        {...list}
        wayOf={(plan) => `/plans/${plan.id}`}
        isFiltered={planType !== undefined || state !== undefined}
        filters={
          <>
            <FilterSelect
              label={t('catalog.plan.type')}
              all={t('catalog.plan.allTypes')}
              value={planType}
              onChange={setPlanType}
              options={[
                { value: 'SUBSCRIPTION', words: t('catalog.plan.SUBSCRIPTION') },
                { value: 'ONE_TIME', words: t('catalog.plan.ONE_TIME') },
              ]}
            />
            <FilterSelect
              label={t('catalog.state')}
              all={t('catalog.plan.allStates')}
              value={state}
              onChange={setState}
              options={[
                { value: 'active', words: t('catalog.plan.sold') },
                { value: 'archived', words: t('catalog.archived') },
              ]}
            />
          </>
        }
        empty={{
          title: t('catalog.plan.empty'),
          about: t('catalog.plan.emptyMore'),
          actions: create,
        }}
        columns={[
          {
            key: 'name',
            head: t('catalog.name'),
            cell: (plan) => (
              <span className={styles.named}>
                {plan.proxiedImageUrl && <img src={plan.proxiedImageUrl} alt="" />}
                {plan.name}
              </span>
            ),
          },
          {
            key: 'price',
            head: t('catalog.price.title'),
            cell: (plan) => {
              const sold = plan.prices.filter((price) => price.isActive);
              const first = sold.find((price) => price.isDefault) ?? sold[0];
              if (!first) return null;
              const more = sold.length - 1;
              return (
                <span className={styles.stack}>
                  {priceWords(first)}
                  {more > 0 && <span className={styles.quiet}>{t('catalog.price.more', { count: more })}</span>}
                </span>
              );
            },
          },
          {
            key: 'type',
            head: t('catalog.plan.type'),
            isWide: true,
            cell: (plan) => t(`catalog.plan.${plan.planType}`),
          },
          {
            key: 'state',
            isCorner: true,
            head: t('catalog.state'),
            cell: (plan) =>
              plan.isActive ? (
                <Status status="ACTIVE">{t('catalog.plan.sold')}</Status>
              ) : (
                <Status status="INACTIVE">{t('catalog.archived')}</Status>
              ),
          },
          { key: 'created', head: t('catalog.created'), isWide: true, cell: (plan) => <Time at={plan.createdAt} /> },
        ]}
      />
      {isCreating && <PlanForm onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}

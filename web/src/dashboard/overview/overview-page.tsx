import { useTranslation } from 'react-i18next';
import { PageFrame } from '../shell/page-frame.tsx';

export function OverviewPage() {
  const { t } = useTranslation();
  return <PageFrame title={t('shell.pages.overview')}>{null}</PageFrame>;
}

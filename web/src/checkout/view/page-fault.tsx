/** A fault of the page itself: it says so instead of going blank. Nothing is lost, for the API and the chain keep it all. */
import { Component, type ReactNode } from 'react';
import { EndCard } from '../cards/end-card.tsx';
import { PageFrame } from './page-frame.tsx';

export class PageFault extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    return (
      <PageFrame>
        <EndCard why="broken" url={null} retry={() => location.reload()} />
      </PageFrame>
    );
  }
}

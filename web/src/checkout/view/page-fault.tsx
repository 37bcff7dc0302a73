/** Shown after a fault of the page itself, instead of a blank page. Nothing is lost, because the API and the chain have the state. */
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

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PlainToken} from "./HostileTokens.sol";

/// @notice A coin whose issuer may stop every transfer out and let them go on again.
contract PausingToken is PlainToken {
    bool public paused;

    error Paused();

    function pause(bool paused_) external {
        paused = paused_;
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        if (paused) revert Paused();
        _move(msg.sender, to, value);
        return true;
    }
}

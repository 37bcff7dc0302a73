// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentBatch} from "../IPaymentBatch.sol";

/// @notice A subscriber with code that accepts every signature, until it burns all the gas that it is asked with.
contract BurningAccount {
    bool public burns;

    function burnFromNowOn() external {
        burns = true;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        while (burns) {}
        return this.isValidSignature.selector;
    }
}

/// @notice Makes the items' calls one after another, without caps.
contract PlainLoop {
    function execute(address target, IPaymentBatch.Item[] calldata items) external {
        for (uint256 i = 0; i < items.length; i++) {
            (bool ok,) = target.call(items[i].data);
            require(ok, "an item failed");
        }
    }
}

/// @notice Stands for an escrow and keeps what it was called with.
contract RecordingCallee {
    bytes32 public dataHash;
    address public caller;
    uint256 public value;
    uint128 public calls;
    uint128 public leastGas = type(uint128).max;

    fallback() external payable {
        uint128 gasLeft = uint128(gasleft());
        if (gasLeft < leastGas) leastGas = gasLeft;
        dataHash = keccak256(msg.data);
        caller = msg.sender;
        value = msg.value;
        calls += 1;
    }
}

/// @notice Stands for an escrow and does harm.
contract HostileCallee {
    enum Behaviour {
        BURN,
        RETURN_MEGABYTE,
        REVERT_MEGABYTE,
        RE_ENTER
    }

    Behaviour private _behaviour;
    address private _target;
    bytes private _data;
    address public lastCaller;
    uint256 public entries;

    function behave(Behaviour behaviour) external {
        _behaviour = behaviour;
    }

    function setAnswer(address target, bytes calldata data) external {
        _target = target;
        _data = data;
    }

    fallback() external {
        Behaviour behaviour = _behaviour;
        if (behaviour == Behaviour.BURN) {
            assembly {
                invalid()
            }
        }
        if (behaviour == Behaviour.RETURN_MEGABYTE) {
            assembly {
                return(0, 1000000)
            }
        }
        if (behaviour == Behaviour.REVERT_MEGABYTE) {
            assembly {
                revert(0, 1000000)
            }
        }
        entries += 1;
        lastCaller = msg.sender;
        if (entries == 1) {
            (bool ok,) = _target.call(_data);
            require(ok, "not let in again");
        }
    }
}

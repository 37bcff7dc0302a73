// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A smart account with one owner's key (ERC-1271), whose way of taking the native coin can be changed.
contract Account {
    enum Mode {
        ACCEPT,
        REFUSE,
        BURN,
        BOMB,
        REENTER
    }

    address public immutable owner;
    Mode public mode;
    bool public reentered;
    address public hookTarget;
    bytes public hook;

    constructor(address owner_) {
        owner = owner_;
    }

    function setMode(Mode mode_, address target, bytes calldata data) external {
        mode = mode_;
        hookTarget = target;
        hook = data;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address signer = ecrecover(
            digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64])
        );
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    receive() external payable {
        if (mode == Mode.ACCEPT) return;
        if (mode == Mode.REFUSE) revert("no coin wanted");
        if (mode == Mode.BURN) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        if (mode == Mode.BOMB) {
            assembly {
                revert(0, 60000)
            }
        }
        (bool ok,) = hookTarget.call(hook);
        if (ok) reentered = true;
    }
}

/// @notice What an EIP-7702 account delegates to: takes the coin, knows nothing of ERC-1271.
contract Delegate {
    receive() external payable {}
}

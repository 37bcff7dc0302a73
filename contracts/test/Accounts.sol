// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice An account with code: signs by ERC-1271 with whatever digest it was told to accept, and calls what it is told.
contract SmartAccount {
    mapping(bytes32 digest => bool) public accepted;
    bool public refusesCoin;

    function accept(bytes32 digest) external {
        accepted[digest] = true;
    }

    function refuseCoin(bool refuse) external {
        refusesCoin = refuse;
    }

    function isValidSignature(bytes32 digest, bytes calldata) external view returns (bytes4) {
        return accepted[digest] ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function execute(address target, uint256 value, bytes calldata data) external returns (bytes memory) {
        (bool ok, bytes memory answer) = target.call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
        return answer;
    }

    receive() external payable {
        require(!refusesCoin, "no coin please");
    }
}

/// @notice Takes coin and burns a set amount of gas doing so.
contract HungryAccount {
    uint256 public appetite;

    constructor(uint256 appetite_) {
        appetite = appetite_;
    }

    receive() external payable {
        uint256 start = gasleft();
        uint256 wanted = appetite;
        while (start - gasleft() < wanted) {}
    }
}

/// @notice Answers coin with as much return data as its gas allows.
contract BombAccount {
    receive() external payable {
        assembly {
            revert(0, 1000000)
        }
    }
}

/// @notice Calls back into a target when it is paid.
contract ReentrantAccount {
    address public target;
    bytes public data;
    bool public entered;
    bool public called;

    function setCall(address target_, bytes calldata data_) external {
        target = target_;
        data = data_;
    }

    receive() external payable {
        called = true;
        (entered,) = target.call(data);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A plain coin to make trouble from; `silent` in the names below means without a return value.
contract PlainToken {
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal {
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}

/// @notice Keeps one unit of every transfer in.
contract FeeToken is PlainToken {
    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        _move(from, to, value - 1);
        _move(from, address(1), 1);
        return true;
    }
}

/// @notice Gives one unit too much with every transfer in.
contract GenerousToken is PlainToken {
    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        _move(from, to, value + 1);
        return true;
    }
}

/// @notice Answers false instead of reverting, to whom it dislikes.
contract FalseToken is PlainToken {
    mapping(address account => bool) public disliked;

    function dislike(address account) external {
        disliked[account] = true;
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        if (disliked[to]) return false;
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        if (disliked[from]) return false;
        _move(from, to, value);
        return true;
    }
}

/// @notice What transfer does and answers is set by a test; transfers in are plain.
contract OddToken is PlainToken {
    enum Answer {
        ONE,
        TWO,
        SHORT,
        LONG,
        BOMB,
        REVERT_BOMB,
        BURN_GAS
    }

    Answer public answer;

    function setAnswer(Answer answer_) external {
        answer = answer_;
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        Answer kind = answer;
        if (kind == Answer.ONE || kind == Answer.LONG) _move(msg.sender, to, value);
        if (kind == Answer.BURN_GAS) while (true) {}
        assembly {
            mstore(0x00, 1)
            mstore(0x20, 1)
            switch kind
            case 1 {
                mstore(0x00, 2)
                return(0x00, 0x20)
            }
            case 2 { return(0x00, 0x1f) }
            case 3 { return(0x00, 0x40) }
            case 4 {
                mstore(0x00, 2)
                return(0x00, 90000)
            }
            case 5 { revert(0x00, 90000) }
            default { return(0x00, 0x20) }
        }
    }
}

/// @notice Calls back into a target with set data at every transfer, and remembers how that ended.
contract ReentrantToken is PlainToken {
    address public target;
    bytes public data;
    bool public entered;
    bytes public answer;

    function setCall(address target_, bytes calldata data_) external {
        target = target_;
        data = data_;
        entered = false;
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        _callBack();
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        _callBack();
        _move(from, to, value);
        return true;
    }

    /// @dev A hostile token may "accept" any signature; it can only give what it has.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32,
        bytes calldata
    ) external {
        _move(from, to, value);
    }

    function _callBack() private {
        if (target == address(0)) return;
        (entered, answer) = target.call(data);
    }
}

/// @notice Accepts every call and does nothing, like a wrapped coin's fallback.
contract FallbackToken is PlainToken {
    fallback() external payable {}
}

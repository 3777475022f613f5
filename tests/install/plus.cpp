// The header from C++.
#include <cstdio>

#include <lotor/lotor.h>

int main()
{
    lotor_policy_params params{};
    params.algorithm = "dp-se";
    params.arms = 3;
    params.horizon = 1000;
    params.epsilon = lotor_ratio_of(1, 1);
    lotor_message why;
    lotor_policy *policy = nullptr;
    lotor_decision decision;
    if (lotor_policy_new(&params, &why, &policy) != LOTOR_OK ||
        lotor_policy_choose(policy, nullptr, &why, &decision) != LOTOR_OK) {
        std::printf("%s\n", why.text);
        return 1;
    }
    std::printf("lotor %s from C++: %zu arm\n", lotor_version(), decision.count);
    lotor_policy_free(policy);
    return 0;
}
